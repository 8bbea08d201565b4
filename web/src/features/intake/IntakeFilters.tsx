import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { DEFAULT_DAYS_BACK } from '@/domain/messaging/intakeList';
import { ownAddressesQuery } from '@/domain/messaging/api';
import { now } from '@/shared/clock';
import { formatAddress } from '@/shared/format';
import { addDays, isoDate } from '@/shared/rules/dates';
import { ChoiceFilter, DateRangeFilter } from '@/shared/table/filters';
import { listOf } from '@/shared/table/listSearch';
import { sourceLabel } from '@/shared/ui/status';
import { hasFilters, type IntakeSearch, PROCESS_TYPES, STATUSES } from './list';

const SOURCES = ['DirectMessage', 'Fax', 'Upload', 'Triage'].map((value) => ({ value, label: sourceLabel(value) }));
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
  const unset = { start: isoDate(addDays(today, -DEFAULT_DAYS_BACK)), end: isoDate(today) };
  const range = search.from || search.until ? { start: search.from ?? unset.start, end: search.until ?? unset.end } : null;
  return (
    <div className="cp-bar">
      {children}
      <DateRangeFilter label="Received" value={range} unset={unset} onChange={(r) => onChange({ from: r?.start, until: r?.end })} />
      <ChoiceFilter
        label="Status"
        choices={STATUSES.map((s) => ({ value: s, label: s }))}
        value={listOf(search.status)}
        onChange={(v) => onChange({ status: joined(v) })}
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
    </div>
  );
}
