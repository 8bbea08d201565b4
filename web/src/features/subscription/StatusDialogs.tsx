import './subscription.css';
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Plan } from '@/api/types';
import { useProfile } from '@/app/session';
import { OrgSwitcher } from '@/app/shell/OrgSwitcher';
import { formatWhen } from '@/shared/format';
import { notify } from '@/shared/notify';
import { paths } from '@/shared/paths';
import { useGo } from '@/shared/ui/AppLink';
import { Dialog } from '@/shared/ui/Dialog';
import { billedQuery, reactivate } from './api';

const OPEN_MS = 1000;
/** Preloads the plan, so that the reactivation opens sooner. */
const OPEN_WITH_PLAN_MS = 500;

/** True after some time. */
function useLater(ms: number | null) {
  const [isLater, setLater] = useState(false);
  useEffect(() => {
    if (ms === null) return;
    const timer = setTimeout(() => setLater(true), ms);
    return () => clearTimeout(timer);
  }, [ms]);
  return isLater;
}

/** Says that the organization is cancelled or will be soon. */
export function OrganizationStatus({ onSeen }: { onSeen: () => void }) {
  const profile = useProfile();
  if (!profile.orgIsCancelled) return <GraceDialog onSeen={onSeen} />;
  return profile.isAdmin ? <Reactivation reference={profile.subscriptionReference ?? null} /> : <CancelledDialog />;
}

function CancelledDialog() {
  const go = useGo();
  const profile = useProfile();
  const opened = useLater(OPEN_MS);
  return (
    <Dialog
      opened={opened}
      locked
      onClose={() => {}}
      title="This organization is cancelled"
      size={520}
      footer={
        <>
          <div className="cp-grow" />
          <Button size="md" data-autofocus onClick={() => go(paths.logout)}>
            Log out
          </Button>
        </>
      }
    >
      <p className="cp-subject">The subscription of {profile.organizationName} has ended.</p>
      <p className="cp-question">Please contact a previous administrator of your organization. Only an administrator can reactivate it.</p>
    </Dialog>
  );
}

function GraceDialog({ onSeen }: { onSeen: () => void }) {
  const go = useGo();
  const profile = useProfile();
  const opened = useLater(OPEN_MS);
  const until = profile.gracePeriodEndDate;
  return (
    <Dialog
      opened={opened}
      onClose={onSeen}
      title="Your subscription is cancelled"
      size={520}
      footer={
        <>
          <div className="cp-grow" />
          <Button size="md" variant="default" onClick={() => go(paths.logout)}>
            Ok
          </Button>
          <Button size="md" data-autofocus onClick={onSeen}>
            Keep working
          </Button>
        </>
      }
    >
      <p className="cp-subject">
        {profile.organizationName} can still be used{until ? ` until ${formatWhen(until)}` : ' for a while'}.
      </p>
      <p className="cp-question">
        Until this final date documents are sent and received as before. Ok signs you out. The subscription can be kept under Plan.
      </p>
    </Dialog>
  );
}

type Loaded = { plan: Plan | null; wait: number };

/** Looks up the organization's previous plan and opens with it, or without one if it cannot be found. */
function Reactivation({ reference }: { reference: string | null }) {
  const client = useQueryClient();
  const [loaded, setLoaded] = useState<Loaded | null>(reference ? null : { plan: null, wait: OPEN_MS });
  useEffect(() => {
    if (!reference) return;
    let gone = false;
    client.fetchQuery(billedQuery(reference)).then(
      ({ plan }) => !gone && setLoaded({ plan, wait: OPEN_WITH_PLAN_MS }),
      () => !gone && setLoaded({ plan: null, wait: OPEN_MS }),
    );
    return () => {
      gone = true;
    };
  }, [client, reference]);
  const opened = useLater(loaded?.wait ?? null);
  return <ReactivateDialog opened={opened} plan={loaded?.plan ?? null} />;
}

function ReactivateDialog({ opened, plan }: { opened: boolean; plan: Plan | null }) {
  const go = useGo();
  const profile = useProfile();
  const request = useMutation({
    mutationFn: () => reactivate(plan?.id ?? null),
    onSuccess: () => notify('success', 'Organization successfully reactivated.'),
  });
  return (
    <Dialog
      opened={opened}
      locked
      onClose={() => {}}
      title="Reactivate organization"
      size={560}
      footer={
        <>
          <Button size="md" variant="default" onClick={() => go(paths.logout)}>
            Cancel Reactivation
          </Button>
          <div className="cp-grow" />
          <Button
            size="md"
            data-autofocus
            disabled={request.isPending || request.isSuccess}
            aria-busy={request.isPending}
            onClick={() => request.mutate()}
          >
            Request Reactivation
          </Button>
        </>
      }
    >
      {profile.organizations.length > 1 && (
        <div className="cp-row sub-switch">
          <span className="cp-second">Organization</span>
          <OrgSwitcher />
        </div>
      )}
      <p className="cp-subject">The subscription of {profile.organizationName} is cancelled.</p>
      <p className="cp-question">
        {plan
          ? `You can reactivate it with its previous plan: ${plan.name}.`
          : 'You can reactivate it. You can then choose a plan under Plan.'}{' '}
        Its users can then send and receive documents again.
      </p>
    </Dialog>
  );
}
