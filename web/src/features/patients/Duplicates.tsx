import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconUsers } from '@tabler/icons-react';
import type { DuplicatePair } from '@/api/types';
import { nameOf } from '@/domain/messaging/patients/words';
import { useShortcuts } from '@/shared/shortcuts';
import { EmptyState, ErrorState } from '@/shared/ui/blocks';
import { duplicatesQuery, merge, tellApart } from './api';
import { Sides } from './Side';
import { useDecisions } from './useDecisions';

type Deciding = { pair: DuplicatePair; isFirst: boolean; isBusy: boolean; onMerge: () => void; onApart: () => void };

function Pair({ pair, isFirst, isBusy, onMerge, onApart }: Deciding) {
  const names = `${nameOf(pair.one.patient)} and ${nameOf(pair.other.patient)}`;
  return (
    <li className="ptn-pair" aria-label={names}>
      <div className="cp-row">
        <span className="cp-strong">Possible duplicate</span>
        <span className="cp-muted cp-num">{pair.percent}%</span>
        <div className="cp-grow" />
        <Button
          size="xs"
          variant="default"
          disabled={isBusy}
          aria-label={`${names}: not the same`}
          aria-keyshortcuts={isFirst ? 'n' : undefined}
          onClick={onApart}
        >
          Not the same
        </Button>
        <Button size="xs" disabled={isBusy} aria-label={`Merge ${names}`} aria-keyshortcuts={isFirst ? 'm' : undefined} onClick={onMerge}>
          Merge
        </Button>
      </div>
      <Sides pair={pair} />
    </li>
  );
}

/** The work list of patients who may be one person. The keys decide on the first one. */
export function Duplicates() {
  const query = useQuery(duplicatesQuery(1));
  const { decide, isBusy } = useDecisions();
  const pairs = query.data?.items ?? [];
  const ids = (pair: DuplicatePair) => [pair.one.id ?? '', pair.other.id ?? ''] as const;
  const onMerge = (pair: DuplicatePair) =>
    void decide(() => merge(...ids(pair)), `${nameOf(pair.other.patient)} was merged into ${nameOf(pair.one.patient)}.`);
  const onApart = (pair: DuplicatePair) =>
    void decide(() => tellApart(...ids(pair)), `${nameOf(pair.one.patient)} and ${nameOf(pair.other.patient)} are different people.`);
  const [first] = pairs;
  useShortcuts(
    first
      ? [
          { keys: 'm', label: 'Merge the first two patients', run: () => onMerge(first) },
          { keys: 'n', label: 'The first two are not the same', run: () => onApart(first) },
        ]
      : [],
  );
  if (query.isError)
    return <ErrorState title="Possible duplicates could not be loaded" error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <Skeleton height={180} aria-label="Loading" />;
  if (pairs.length === 0)
    return <EmptyState icon={IconUsers} title="No possible duplicates" text="Patients who may be one person are listed here." />;
  return (
    <ul className="ptn-pairs" aria-label="Possible duplicates">
      {pairs.map((pair, at) => (
        <Pair
          key={ids(pair).join()}
          pair={pair}
          isFirst={at === 0}
          isBusy={isBusy}
          onMerge={() => onMerge(pair)}
          onApart={() => onApart(pair)}
        />
      ))}
    </ul>
  );
}
