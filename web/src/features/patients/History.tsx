import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { PatientEvent } from '@/api/types';
import { formatDateTime } from '@/shared/format';
import { ErrorState } from '@/shared/ui/blocks';
import { historyQuery } from './api';
import type { useDecisions } from './useDecisions';

const WORDS: Record<string, (other: string) => string> = {
  Merged: (other) => `merged this patient with ${other}`,
  ToldApart: (other) => `marked ${other} as a different person`,
  Corrected: () => 'corrected the patient',
  Moved: (other) => `moved a filed message from ${other}`,
};

const told = (event: PatientEvent) => (WORDS[event.kind] ?? (() => event.kind))(event.other?.name || 'another patient');

/** The decisions about a patient, with an undo where possible. */
export function History({ id, decisions: { undo, isBusy } }: { id: string; decisions: ReturnType<typeof useDecisions> }) {
  const query = useQuery(historyQuery(id));
  if (query.isError) return <ErrorState title="The history could not be loaded" error={query.error} onRetry={() => void query.refetch()} />;
  const events = query.data ?? [];
  if (events.length === 0) return null;
  return (
    <section aria-labelledby="patient-history">
      <h2 id="patient-history" className="ptn-head">
        History
      </h2>
      <ul className="cp-plainlist">
        {events.map((event) => (
          <li key={event.id} className="cp-row">
            <span className="cp-grow">
              {event.by.name} {told(event)}
              <span className="cp-muted cp-block cp-tiny">
                {formatDateTime(event.at)}
                {event.undoneAt && ` · undone ${formatDateTime(event.undoneAt)}`}
              </span>
            </span>
            {event.canUndo && (
              <Button size="xs" variant="default" disabled={isBusy} aria-label={`Undo: ${told(event)}`} onClick={() => void undo(event.id)}>
                Undo
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
