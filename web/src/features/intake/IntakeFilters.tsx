import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { DEFAULT_DAYS_BACK } from '@/domain/messaging/intakeList';
import { ownAddressesQuery } from '@/domain/messaging/api';
import { now } from '@/shared/clock';
import { formatAddress } from '@/shared/format';
import { addDays, allDates, isoDate } from '@/shared/rules/dates';
import { ChoiceFilter, DateRangeFilter } from '@/shared/table/filters';
import { listOf } from '@/shared/table/listSearch';
import { sourceLabel } from '@/shared/ui/status';
import { ALL_STATUSES, hasFilters, type IntakeSearch, PROCESS_TYPES, STATUSES } from './list';
import { SavedFilters } from './SavedFilters';

const SOURCES = ['DirectMessage', 'Fax', 'Upload', 'Triage', 'Interface'].map((value) => ({ value, label: sourceLabel(value) }));
const STATUS_CHOICES = [{ value: ALL_STATUSES, label: 'All messages' }, ...STATUSES.map((value) => ({ value, label: value }))];
/** "All" and single statuses exclude each other. */
const oneOrSome = (statuses: string[]) => (statuses.at(-1) === ALL_STATUSES ? [ALL_STATUSES] : statuses.filter((s) => s !== ALL_STATUSES));
const joined = (values: string[]) => (values.length ? values.join(',') : undefined);

type Props = {
  search: IntakeSearch;
  words: string;
  onChange: (change: Partial<IntakeSearch>) => void;
  onClear: () => void;
  children?: ReactNode;
};

/** The filters under the title. */
export function IntakeFilters({ search, words, onChange, onClear, children }: Props) {
  const addresses = useQuery(ownAddressesQuery).data ?? [];
  const today = now();
  const recent = { start: isoDate(addDays(today, -DEFAULT_DAYS_BACK)), end: isoDate(today) };
  const unset = words ? allDates(today) : recent;
  const range = search.from || search.until ? { start: search.from ?? recent.start, end: search.until ?? recent.end } : null;
  return (
    <div className="cp-bar">
      {children}
      <DateRangeFilter label="Received" value={range} unset={unset} hasAll onChange={(r) => onChange({ from: r?.start, until: r?.end })} />
      <ChoiceFilter
        label="Status"
        choices={STATUS_CHOICES}
        value={listOf(search.status)}
        unset={words ? 'All' : 'To do'}
        onChange={(v) => onChange({ status: joined(oneOrSome(v)) })}
      />
      <ChoiceFilter label="Source" choices={SOURCES} value={listOf(search.source)} onChange={(v) => onChange({ source: joined(v) })} />
      {addresses.length > 0 && (
        <ChoiceFilter
          label="To"
          choices={addresses.map((a) => ({ value: a.fullAddress, label: a.displayName || formatAddress(a.fullAddress) }))}
          value={listOf(search.to)}
          onChange={(v) => onChange({ to: joined(v) })}
        />
      )}
      <ChoiceFilter
        label="Processed as"
        choices={PROCESS_TYPES}
        value={listOf(search.processed)}
        onChange={(v) => onChange({ processed: joined(v) })}
      />
      <div className="cp-grow" />
      {hasFilters(search, words) && (
        <Button variant="subtle" onClick={onClear}>
          Clear filters
        </Button>
      )}
      <SavedFilters search={search} onApply={onChange} />
    </div>
  );
}
