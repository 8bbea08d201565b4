import { Button } from '@mantine/core';
import type { EarlierDocument, OutlineSection } from '@/api/types';
import { plural } from '@/shared/format';
import { paths } from '@/shared/paths';
import { isoDate, showDate } from '@/shared/rules/dates';
import { AppLink } from '@/shared/ui/AppLink';
import { dayOf, timeOf } from './series';

/** The number of new entries of a section, without its subsections. */
export const newIn = (section: OutlineSection) => section.entries?.rows.filter((row) => row.isNew).length ?? 0;

/** The date of the earlier document, else of its reception. */
export function earlierDay({ effectiveTime, receivedDate }: Pick<EarlierDocument, 'effectiveTime' | 'receivedDate'>): string {
  const at = timeOf(effectiveTime);
  return at === null ? showDate(isoDate(new Date(receivedDate))) : dayOf(at);
}

type Props = { earlier: EarlierDocument; count: number; isOnly: boolean; onOnly: (isOnly: boolean) => void };

/** The number of new entries since the previous document, and a filter for them. */
export function NewSince({ earlier, count, isOnly, onOnly }: Props) {
  return (
    <div className="cp-row cp-explorer-since">
      <h3 className="cp-grow">
        {count > 0 ? plural(count, 'new entry', 'new entries') : 'Nothing new'} since{' '}
        <AppLink href={paths.intakeMessage(earlier.messageId)} className="cp-link">
          {earlier.title || 'the document'} of {earlierDay(earlier)}
        </AppLink>
      </h3>
      {count > 0 && (
        <Button size="xs" variant={isOnly ? 'filled' : 'default'} aria-pressed={isOnly} onClick={() => onOnly(!isOnly)}>
          New only
        </Button>
      )}
    </div>
  );
}
