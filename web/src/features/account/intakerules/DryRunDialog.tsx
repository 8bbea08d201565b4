import './intakerules.css';
import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { IconFilterCog } from '@tabler/icons-react';
import { api, unwrap } from '@/api/client';
import type { DryRunRow, IntakeRule } from '@/api/types';
import { formatAddress, formatDateTime, plural } from '@/shared/format';
import { paths } from '@/shared/paths';
import { AppLink } from '@/shared/ui/AppLink';
import { EmptyState, ErrorState } from '@/shared/ui/blocks';
import { Dialog } from '@/shared/ui/Dialog';
import { Source } from '@/shared/ui/status';
import { actionsOf } from './words';

type Props = { /** All enabled rules when null. */ rule: IntakeRule | null; nameOf: (id: string) => string; onClose: () => void };

export const formOf = ({ id: _id, position: _position, version: _version, filingProblem: _problem, ...form }: IntakeRule) => form;

/** A dry run of rules on the messages of the last 30 days, with reasons. Nothing is changed. */
export function DryRunDialog({ rule, nameOf, onClose }: Props) {
  const query = useInfiniteQuery({
    queryKey: ['intakerules', 'dryrun', rule],
    queryFn: ({ pageParam }) =>
      unwrap(api.POST('/api/settings/intakerules/dryrun', { body: { rule: rule && formOf(rule), cursor: pageParam, pageSize: 20 } })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    // New messages would shift the pages.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const pages = query.data?.pages ?? [];
  const rows = pages.flatMap((p) => p.items);
  const examined = pages.reduce((sum, p) => sum + p.examined, 0);
  return (
    <Dialog
      opened
      onClose={onClose}
      title={rule ? `Try “${rule.name}”` : 'Try the rules'}
      size={820}
      footer={
        <>
          <span className="cp-second">
            {query.data &&
              `${plural(rows.length, 'match', 'matches')} among ${query.hasNextPage ? `the newest ${plural(examined, 'message')} so far` : `all ${plural(examined, 'message')} of the last 30 days`}`}
          </span>
          <div className="cp-grow" />
          {query.hasNextPage && (
            <Button size="md" variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
              Look further back
            </Button>
          )}
          <Button size="md" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      <p className="cp-second">
        Nothing is changed. The rules are tried on messages of the last 30 days with their current details, newest first, 20 matches at a
        time.
      </p>
      {query.isPending && (
        <div role="status" aria-label="Loading">
          <div className="cp-bone" style={{ width: '60%' }} />
        </div>
      )}
      {query.error && <ErrorState title="The rules could not be tried" error={query.error} onRetry={() => void query.refetch()} />}
      {query.data && rows.length === 0 && (
        <EmptyState
          icon={IconFilterCog}
          title="Nothing matched"
          text={query.hasNextPage ? 'No match so far. Look further back.' : 'No message of the last 30 days matches.'}
        />
      )}
      {rows.length > 0 && (
        <ul className="rul-rows" aria-label="Matches">
          {rows.map((row) => (
            <Row key={row.id} row={row} isOne={rule !== null} nameOf={nameOf} />
          ))}
        </ul>
      )}
    </Dialog>
  );
}

function Row({ row, isOne, nameOf }: { row: DryRunRow; isOne: boolean; nameOf: (id: string) => string }) {
  const effect = actionsOf(row, nameOf);
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
      {row.matches.map((match) => (
        <span key={match.ruleId} className="cp-second">
          {!isOne && <b className="cp-strong">{match.name}: </b>}
          {match.reasons.join('. ')}.
        </span>
      ))}
      <span className="cp-ink">{effect || 'Only skips later rules'}</span>
    </li>
  );
}
