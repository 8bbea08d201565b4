import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, quiet } from '@/api/client';
import { AcknowledgementForm } from '@/api/limits.gen';
import { queryOf, refresh } from '@/api/query';
import type { SystemAlert } from '@/api/types';
import { useHasRole } from '@/app/session';
import { EditDialog } from '@/shared/crud/EditDialog';
import { textField } from '@/shared/form/fields';
import { formatDateTime } from '@/shared/format';
import { useRun } from '@/shared/ui/AskDialog';
import { ErrorState } from '@/shared/ui/blocks';
import { Chip } from '@/shared/ui/status';
import { toneOfAlert } from './channels';
import classes from './channels.module.css';

/** Interval between reads of the alerts while the page is open. */
const EVERY_MS = 10_000;
const PATH = '/api/diagnostics/messaging/systemalerts';
const at = (id: string) => ({ params: { path: { id } } });

/** The current alerts, with instructions and the person who handles each. */
export function Alerts() {
  const alerts = useQuery({ ...queryOf('get', PATH, { ...quiet }), refetchInterval: EVERY_MS });
  const [chosen, setChosen] = useState<SystemAlert | null>(null);
  return (
    <section className="dash-part" aria-labelledby="alerts">
      <h2 id="alerts">System alerts</h2>
      {alerts.error && !alerts.data && (
        <ErrorState title="The alerts could not be loaded" error={alerts.error} onRetry={() => void alerts.refetch()} />
      )}
      {alerts.data?.items.length === 0 && <p className="cp-second">There are no alerts.</p>}
      <ul className="cp-plainlist" aria-label="Alerts">
        {alerts.data?.items.map((alert) => (
          <Alert key={alert.id} alert={alert} onAcknowledge={() => setChosen(alert)} />
        ))}
      </ul>
      {chosen && <AcknowledgeDialog alert={chosen} onClose={() => setChosen(null)} />}
    </section>
  );
}

function Alert({ alert, onAcknowledge }: { alert: SystemAlert; onAcknowledge: () => void }) {
  const canAct = useHasRole('SysAdmin');
  const client = useQueryClient();
  const reopen = useRun({
    run: async () => {
      await api.DELETE('/api/diagnostics/messaging/systemalerts/{id}/acknowledgement', at(alert.id));
      await refresh(client, PATH);
    },
    done: 'The alert is open again.',
    failed: 'The alert could not be opened again. Please try again.',
  });
  const seenTo = alert.acknowledgement;
  return (
    <li className={classes.alert} data-quiet={seenTo ? true : undefined}>
      <Chip state={alert.status} tone={toneOfAlert(alert.status)} />
      <span>
        <b className="cp-strong">{alert.name}</b>
        <span className="cp-block cp-second">
          {formatDateTime(alert.createdAt)}. {alert.advice}{' '}
          {alert.dataDogLink && (
            <a className="cp-link" href={alert.dataDogLink} target="_blank" rel="noreferrer">
              Open the monitoring
            </a>
          )}
        </span>
        {seenTo && (
          <span className="cp-block cp-second">
            {[`${seenTo.userName} has been handling it since ${formatDateTime(seenTo.date)}`, seenTo.note].filter(Boolean).join(': ')}
          </span>
        )}
      </span>
      {canAct && (
        <Button
          variant="default"
          size="xs"
          loading={reopen.isPending}
          onClick={seenTo ? () => reopen.mutate() : onAcknowledge}
          aria-label={`${seenTo ? 'Open again' : 'Acknowledge'}: ${alert.name}`}
        >
          {seenTo ? 'Open again' : 'Acknowledge'}
        </Button>
      )}
    </li>
  );
}

const fields = { note: textField('Note', { description: 'What you are doing about it, for your colleagues.' }) };

function AcknowledgeDialog({ alert, onClose }: { alert: SystemAlert; onClose: () => void }) {
  const client = useQueryClient();
  return (
    <EditDialog
      noun="acknowledgement"
      title="Acknowledge Alert"
      subject={alert.name}
      question="Your name is shown beside it for a day, or until it gets worse."
      fields={fields}
      limits={AcknowledgementForm}
      label="Acknowledge"
      save={(body) => api.PUT('/api/diagnostics/messaging/systemalerts/{id}/acknowledgement', { ...at(alert.id), body })}
      done="The alert was acknowledged."
      failed="The alert could not be acknowledged. Please try again."
      onSaved={() => void refresh(client, PATH)}
      onClose={onClose}
    />
  );
}
