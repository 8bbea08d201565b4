import { Button, Select } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { IconSend2 } from '@tabler/icons-react';
import { useState } from 'react';
import { api, unwrap } from '@/api/client';
import { queryOf } from '@/api/query';
import type { DryRunVerdict, RoutingRule, RoutingTest } from '@/api/types';
import { reportFailure } from '@/shared/errors';
import { formatCount, formatSince, formatWhen, plural } from '@/shared/format';
import { ErrorState } from '@/shared/ui/blocks';
import { Dialog } from '@/shared/ui/Dialog';
import { Status } from '@/shared/ui/status';
import { at } from '../lists/fields';
import classes from './routing.module.css';
import { OUTCOMES, whereIs } from './rules';

const VERDICTS: Record<DryRunVerdict, { state: string; label: string }> = {
  Matched: { state: 'Delivered', label: 'Would go to the endpoints' },
  NotASender: { state: 'Queued', label: 'By Direct: not a sending organization' },
  NoEndpoint: { state: 'Queued', label: 'By Direct: no endpoint' },
};

/** Tests of a rule: a dry run over sent messages, and a test message to one of its endpoints. */
export function TestDialog({ id, address, onClose }: { id: string; address: string; onClose: () => void }) {
  const rule = useQuery(queryOf('get', '/api/admin/routingrules/{id}', at(id)));
  return (
    <Dialog
      opened
      onClose={onClose}
      title="Test routing rule"
      size={820}
      footer={
        <>
          <div className="cp-grow" />
          <Button size="md" variant="default" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      <p className="cp-subject">{address}</p>
      <DryRun id={id} />
      {rule.error && !rule.data && (
        <ErrorState title="The routing rule could not be loaded" error={rule.error} onRetry={() => void rule.refetch()} />
      )}
      {rule.data && <TestMessage rule={rule.data} />}
    </Dialog>
  );
}

function DryRun({ id }: { id: string }) {
  const query = useQuery(queryOf('get', '/api/admin/routingrules/{id}/dryrun', at(id)));
  const run = query.data;
  return (
    <section className={classes.section} aria-label="Dry run">
      <h3 className={classes.heading}>Dry run</h3>
      {query.error && !run && <ErrorState title="The dry run failed" error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <div className="cp-bone" style={{ width: '60%' }} />}
      {run && (
        <p className={classes.line}>
          Would have taken <strong>{formatCount(run.matchedCount, false)}</strong> of {plural(run.scannedCount, 'delivery', 'deliveries')}{' '}
          {run.isWhole ? 'of the last 30 days' : `${formatSince(run.since)}; earlier ones are too many to check`}
          {run.almostCount > 0 && `; ${run.almostCount} more to this address would have gone by Direct`}. Nothing is sent.
        </p>
      )}
      {run && run.items.length > 0 && (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
        <ul className={classes.messages} aria-label="Messages to this address" tabIndex={0}>
          {run.items.map((item) => (
            <li key={item.messageId}>
              <span className="cp-num">{formatWhen(item.sentAt)}</span>
              <span className="cp-grow cp-ell">{item.organizationName}</span>
              <Status state={VERDICTS[item.verdict].state}>{VERDICTS[item.verdict].label}</Status>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function TestMessage({ rule }: { rule: RoutingRule }) {
  const [endpointId, choose] = useState<string | null>(rule.endpoints[0]?.id ?? null);
  const test = useMutation({
    mutationFn: () => unwrap(api.POST('/api/admin/routingrules/{id}/test', { ...at(rule.id), body: { endpointId: endpointId! } })),
    meta: { ownErrors: true },
    onError: (error) => reportFailure(error, 'The test message could not be sent. Please try again.', { serverFirst: true }),
  });
  return (
    <section className={classes.section} aria-label="Test message">
      <h3 className={classes.heading}>Test message</h3>
      {rule.endpoints.length === 0 ? (
        <p className="cp-second">This rule has no endpoint yet.</p>
      ) : (
        <>
          <p className={classes.line}>It is marked as a test and names no patient.</p>
          <div className={classes.choice}>
            <Select
              label="Endpoint"
              className="cp-grow"
              allowDeselect={false}
              data={rule.endpoints.map((e, i) => ({ value: e.id, label: `${i + 1}. ${whereIs(e)}` }))}
              value={endpointId}
              onChange={choose}
            />
            <Button leftSection={<IconSend2 size={16} stroke={1.6} />} loading={test.isPending} onClick={() => test.mutate()}>
              Send test message
            </Button>
          </div>
          <div aria-live="polite">{test.data && !test.isPending && <Dialogue of={test.data} />}</div>
        </>
      )}
    </section>
  );
}

/** The request to the endpoint, and its response. */
function Dialogue({ of: { endpoint, outcome, reason, milliseconds, sent, received } }: { of: RoutingTest }) {
  return (
    <div className={classes.dialogue}>
      <div className={classes.line}>
        <Status state={OUTCOMES[outcome].state}>{OUTCOMES[outcome].label}</Status> by {endpoint} after {formatCount(milliseconds)} ms
        {reason && `: ${reason}`}
      </div>
      <Said label="Sent" text={sent} />
      <Said label="Received" text={received} />
    </div>
  );
}

const Said = ({ label, text }: { label: string; text: string }) => (
  <>
    <h4 className={classes.label}>{label}</h4>
    {text ? (
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
      <pre className={classes.said} aria-label={label} tabIndex={0}>
        {text}
      </pre>
    ) : (
      <p className="cp-second">Nothing</p>
    )}
  </>
);
