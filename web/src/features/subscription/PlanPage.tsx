import './subscription.css';
import { Button, Radio, Textarea } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Subscription } from '@/api/types';
import { useProfile } from '@/app/session';
import { Form } from '@/shared/form/Form';
import { useServerForm } from '@/shared/form/useServerForm';
import { formatWhen, plural } from '@/shared/format';
import { notify } from '@/shared/notify';
import { required } from '@/shared/rules/fields';
import { ErrorState, Notice } from '@/shared/ui/blocks';
import { ConfirmDialog, Dialog } from '@/shared/ui/Dialog';
import { PageHead } from '@/shared/ui/PageHead';
import { cancelSubscription, changePlan, reactivate, subscriptionQuery } from './api';

const REASON_MAX = 1000;
/** The Free plan has no id. */
const FREE = 'free';
const valueOf = (planId: string | null | undefined) => planId ?? FREE;

/** The plan of the organization: what it is, what it can become, and its end. */
export function PlanPage() {
  const profile = useProfile();
  const query = useQuery(subscriptionQuery(profile.organizationId ?? ''));
  return (
    <>
      <PageHead title="Plan" />
      <div className="cp-scroll">
        {query.isError && !query.data ? (
          <ErrorState title="The plan could not be loaded" error={query.error} onRetry={() => void query.refetch()} />
        ) : !query.data ? (
          <div className="sub-page" role="status" aria-label="Loading">
            <div className="cp-bone" style={{ width: '30%' }} />
            <div className="cp-bone" style={{ width: '60%' }} />
          </div>
        ) : (
          <Present key={`${query.data.planId}.${query.data.status}`} subscription={query.data} />
        )}
      </div>
    </>
  );
}

function Present({ subscription: s }: { subscription: Subscription }) {
  const present = valueOf(s.planId);
  const [chosen, choose] = useState(present);
  const [asks, setAsks] = useState<'change' | 'cancel' | null>(null);
  const next = s.offeredPlans.find((p) => valueOf(p.id) === chosen);
  const close = () => setAsks(null);
  const change = useMutation({
    mutationFn: () => changePlan({ organizationId: s.organizationId, planId: next?.id ?? null }),
    onSuccess: () => {
      close();
      notify('success', 'Your plan has been changed.');
    },
  });
  const keep = useMutation({
    mutationFn: () => reactivate(null),
    onSuccess: () => notify('success', 'Organization successfully reactivated.'),
  });
  return (
    <div className="sub-page">
      {s.status === 'GracePeriod' && (
        <Notice kind="warning">
          The subscription is cancelled. {s.organizationName} can be used until {formatWhen(s.endDate)}.
          <div className="cp-row sub-actions">
            <Button variant="default" loading={keep.isPending} onClick={() => keep.mutate()}>
              Keep the subscription
            </Button>
          </div>
        </Notice>
      )}
      <section aria-labelledby="present-plan">
        <h2 id="present-plan">Present plan</h2>
        <p>
          <b className="cp-strong">{s.plan.name}</b> · {s.plan.allowedUsersDescription}
        </p>
        <p className="cp-muted">{plural(s.numberOfUsers, 'user')} at present</p>
      </section>
      {s.status === 'Active' && (
        <>
          <section>
            <Radio.Group
              label="Change to"
              description="Plans that have room for the people of your organization"
              value={chosen}
              onChange={choose}
            >
              <div className="sub-plans">
                {s.offeredPlans.map((p) => (
                  <Radio key={valueOf(p.id)} size="xs" value={valueOf(p.id)} label={p.name} description={p.allowedUsersDescription} />
                ))}
              </div>
            </Radio.Group>
            <div className="cp-row sub-actions">
              <Button disabled={chosen === present || !next} onClick={() => setAsks('change')}>
                Change plan
              </Button>
            </div>
          </section>
          <section className="sub-end" aria-labelledby="end-plan">
            <h2 id="end-plan">Cancel the subscription</h2>
            <p className="cp-second">
              The organization can still be used until a final date. An administrator can take the cancellation back.
            </p>
            <Button variant="default" onClick={() => setAsks('cancel')}>
              Cancel subscription
            </Button>
          </section>
        </>
      )}
      {asks === 'change' && next && (
        <ConfirmDialog
          opened
          onClose={close}
          onConfirm={() => change.mutate()}
          title="Change plan"
          subject={`${s.organizationName}: from ${s.plan.name} to ${next.name}`}
          question="The new plan takes effect at once. Are you sure?"
          confirmLabel="Change plan"
          busy={change.isPending}
        />
      )}
      {asks === 'cancel' && <CancelDialog name={s.organizationName} onClose={close} />}
    </div>
  );
}

function CancelDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const { form, busy, formErrors, onSubmit } = useServerForm({
    initialValues: { cancelReason: '' },
    validate: { cancelReason: required('Please tell us why you are leaving.') },
    submit: async ({ cancelReason }) => {
      await cancelSubscription(cancelReason);
      onClose();
      notify('success', 'The subscription has been cancelled.');
    },
  });
  return (
    <Dialog
      opened
      onClose={onClose}
      title="Cancel subscription"
      size={560}
      footer={
        <>
          <div className="cp-grow" />
          <Button size="md" variant="default" onClick={onClose}>
            Keep it
          </Button>
          <Button size="md" color="red" type="submit" form="cancel-subscription" loading={busy}>
            Cancel subscription
          </Button>
        </>
      }
    >
      <Form id="cancel-subscription" onSubmit={onSubmit} className="sub-form">
        <p className="cp-subject">{name}</p>
        <p className="cp-question">After its final date nobody in the organization can send or receive documents any more.</p>
        {formErrors.length > 0 && <Notice kind="error">{formErrors.join(' ')}</Notice>}
        <Textarea
          label="Why are you leaving?"
          required
          autosize
          minRows={3}
          maxLength={REASON_MAX}
          data-autofocus
          {...form.getInputProps('cancelReason')}
        />
      </Form>
    </Dialog>
  );
}
