import './intakerules.css';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconFilterCog } from '@tabler/icons-react';
import { api, unwrap } from '@/api/client';
import type { FilingDryRunRow, IntakeRule } from '@/api/types';
import { formatAddress, formatDateTime, plural } from '@/shared/format';
import { paths } from '@/shared/paths';
import { AppLink } from '@/shared/ui/AppLink';
import { EmptyState, ErrorState } from '@/shared/ui/blocks';
import { Dialog } from '@/shared/ui/Dialog';
import { Source } from '@/shared/ui/status';
import { formOf } from './DryRunDialog';

type Props = { rule: IntakeRule; onClose: () => void };

/** What a rule would have filed in the last 30 days, compared with what people filed. Nothing is written. */
export function FilingDryRunDialog({ rule, onClose }: Props) {
  const query = useQuery({
    queryKey: ['intakerules', 'dryrun', 'chart', rule],
    queryFn: () => unwrap(api.POST('/api/settings/intakerules/dryrun/chart', { body: { rule: formOf(rule) } })),
    // Every try asks the EHR.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  const { data } = query;
  return (
    <Dialog
      opened
      onClose={onClose}
      title={`Try filing by “${rule.name}”`}
      size={920}
      footer={
        <>
          <span className="cp-second">{data && summary(data.items)}</span>
          <div className="cp-grow" />
          <Button size="md" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      <p className="cp-second">
        Nothing is filed. The EHR is asked for the patients of the messages of the last 30 days that match, at most 50.
        {data?.isCut && ` These are the newest 50; there are more.`}
      </p>
      {query.isPending && (
        <div role="status" aria-label="Loading">
          <div className="cp-bone" style={{ width: '60%' }} />
        </div>
      )}
      {query.error && <ErrorState title="Filing could not be tried" error={query.error} onRetry={() => void query.refetch()} />}
      {data && data.items.length === 0 && (
        <EmptyState icon={IconFilterCog} title="Nothing matched" text="No message of the last 30 days matches." />
      )}
      {data && data.items.length > 0 && (
        <ul className="rul-rows" aria-label="Messages">
          {data.items.map((row) => (
            <Row key={row.id} row={row} />
          ))}
        </ul>
      )}
    </Dialog>
  );
}

/** "12 would be filed, 3 left to people; 1 differs from what a person filed" */
function summary(rows: readonly FilingDryRunRow[]): string {
  const filed = rows.filter((row) => row.wouldFile).length;
  const other = rows.filter((row) => row.byPerson === 'Other').length;
  const words = `${filed} of ${plural(rows.length, 'message')} would be filed`;
  return other ? `${words}; ${other} ${other === 1 ? 'differs' : 'differ'} from what a person filed` : words;
}

const PERSON = {
  Other: 'Differs: a person filed it to another patient',
  Same: 'Agrees with what a person filed',
  Unproposed: 'A person filed it',
} as const;

function Row({ row }: { row: FilingDryRunRow }) {
  const differs = row.byPerson === 'Other';
  return (
    <li>
      <div className="cp-row">
        <Source kind={row.sourceType} />
        <AppLink className="cp-ell cp-grow cp-strong" href={paths.intakeMessage(row.id)}>
          {row.subject || 'No subject'}
        </AppLink>
        <span className="cp-muted cp-num">{formatDateTime(row.receivedDate)}</span>
      </div>
      <span className="cp-second">{[row.fromName || formatAddress(row.fromAddress), row.patientName || 'No patient'].join(' · ')}</span>
      <span className="cp-ink">
        {row.wouldFile ? `Would be filed to ${row.chartPatient}, ${row.percent}% certain` : `Would not be filed: ${row.reason}`}
      </span>
      {row.byPerson && (
        <span className={differs ? 'cp-plain t-danger rul-wrapped' : 'cp-second'} data-loud={differs || undefined}>
          {PERSON[row.byPerson]}
        </span>
      )}
    </li>
  );
}
