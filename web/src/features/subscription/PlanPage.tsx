import './subscription.css';
import { Button, Radio } from '@mantine/core';
import { useState } from 'react';
import type { Subscription } from '@/api/types';
import { useProfile } from '@/app/session';
import { EditDialog } from '@/shared/crud/EditDialog';
import { textField } from '@/shared/form/fields';
import { Saved } from '@/shared/form/saved';
import { formatWhen, plural } from '@/shared/format';
import { useAsk, useRun } from '@/shared/ui/AskDialog';
import { Notice } from '@/shared/ui/blocks';
import { PageHead } from '@/shared/ui/PageHead';
import { cancelSubscription, changePlan, reactivate, subscriptionQuery } from './api';

/** The Free plan has no id. */
const FREE = 'free';
const valueOf = (planId: string | null | undefined) => planId ?? FREE;

/** The plan of the organization: the current one, changes, and cancellation. */
export function PlanPage() {
  const { organizationId } = useProfile();
  return (
    <>
      <PageHead title="Plan" />
      <div className="cp-scroll">
        <Saved query={subscriptionQuery(organizationId ?? '')} failed="The plan could not be loaded">
          {(subscription) => <Present key={`${subscription.planId}.${subscription.status}`} subscription={subscription} />}
        </Saved>
      </div>
    </>
  );
}

function Present({ subscription: s }: { subscription: Subscription }) {
  const present = valueOf(s.planId);
  const [chosen, choose] = useState(present);
  const [isEnding, setEnding] = useState(false);
  const [ask, question] = useAsk();
  const keep = useRun({
    run: () => reactivate(null),
    done: 'Organization successfully reactivated.',
    failed: 'The subscription could not be kept. Please try again.',
  });
  const next = s.offeredPlans.find((p) => valueOf(p.id) === chosen);
  const askForChange = (plan: { id?: string | null; name: string }) =>
    ask({
      title: 'Change plan',
      subject: `${s.organizationName}: from ${s.plan.name} to ${plan.name}`,
      question: 'The new plan takes effect at once. Are you sure?',
      label: 'Change plan',
      run: () => changePlan(s.organizationId, plan.id ?? null),
      done: 'Your plan has been changed.',
      failed: 'The plan could not be changed. Please try again.',
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
        <h2 id="present-plan">Current plan</h2>
        <p>
          <b className="cp-strong">{s.plan.name}</b> · {s.plan.allowedUsersDescription}
        </p>
        <p className="cp-muted">{plural(s.numberOfUsers, 'user')} now</p>
      </section>
      {s.status === 'Active' && (
        <>
          <section>
            <Radio.Group label="Change to" description="Plans with enough places for your organization" value={chosen} onChange={choose}>
              <div className="sub-plans">
                {s.offeredPlans.map((p) => (
                  <Radio key={valueOf(p.id)} size="xs" value={valueOf(p.id)} label={p.name} description={p.allowedUsersDescription} />
                ))}
              </div>
            </Radio.Group>
            <div className="cp-row sub-actions">
              <Button disabled={chosen === present || !next} onClick={() => next && askForChange(next)}>
                Change plan
              </Button>
            </div>
          </section>
          <section className="sub-end" aria-labelledby="end-plan">
            <h2 id="end-plan">Cancel the subscription</h2>
            <p className="cp-second">
              The organization can still be used until a final date. An administrator can withdraw the cancellation.
            </p>
            <Button variant="default" onClick={() => setEnding(true)}>
              Cancel subscription
            </Button>
          </section>
        </>
      )}
      {question}
      {isEnding && (
        <EditDialog
          noun="cancellation"
          title="Cancel subscription"
          subject={s.organizationName}
          question="After the final date, nobody in the organization can send or receive documents."
          fields={REASON}
          limits={{ cancelReason: { maxLength: 1000 } }}
          label="Cancel subscription"
          cancelLabel="Keep it"
          danger
          save={({ cancelReason }) => cancelSubscription(cancelReason)}
          done="The subscription has been cancelled."
          onClose={() => setEnding(false)}
        />
      )}
    </div>
  );
}

const REASON = { cancelReason: textField('Why are you leaving?', { rows: 3, required: 'Please tell us why you are leaving.' }) };
