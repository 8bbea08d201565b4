import { Button, Checkbox, Popover, Radio, SegmentedControl, TextInput, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconFilter, IconSearch, IconX } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { formatCount } from '../format';
import { DateInput } from '../form/DateInput';
import { Select } from '../form/Select';
import { unseenLabel } from '../form/unseenLabel';
import { now } from '../clock';
import { useDraft } from '../useDraft';
import { allDates, type DateRange, defaultRange, EVER, isoDate, namedRanges, rangeLabel } from '../rules/dates';
import type { SortState } from './listSearch';
import { useDebouncedCall } from '../debounce';

const SEARCH_DELAY_MS = 300;

type SearchProps = {
  label: string;
  placeholder: string;
  value: string;
  onChange: (text: string) => void;
  width?: number | string;
  /** Delay after the last key, in ms. */
  delay?: number;
  /** Enter moves to the results. */
  onEnter?: () => void;
};
/** Filters after a delay, 300 ms by default. */
export function SearchInput({ label, placeholder, value, onChange, width = 232, delay = SEARCH_DELAY_MS, onEnter }: SearchProps) {
  const [text, setText] = useDraft(value);
  const [send] = useDebouncedCall(onChange, delay);
  return (
    <TextInput
      type="search"
      w={width}
      aria-label={label}
      placeholder={placeholder}
      leftSection={<IconSearch size={15} stroke={1.6} aria-hidden />}
      leftSectionWidth={32}
      value={text}
      onChange={(e) => {
        setText(e.currentTarget.value);
        send(e.currentTarget.value);
      }}
      onKeyDown={(e) => {
        if (e.nativeEvent.isComposing || (e.key !== 'Escape' && e.key !== 'Enter')) return;
        // Escape leaves the field; by default a browser would empty it.
        e.preventDefault();
        if (e.key === 'Escape') return e.currentTarget.blur();
        if (!onEnter) return;
        if (text !== value) onChange(text);
        e.currentTarget.blur();
        onEnter();
      }}
    />
  );
}

/** The button of a filter; once set it is tinted and shows its value and a clear icon. */
function FilterShell({
  label,
  shown,
  isSet,
  onClear,
  opened,
  onOpen,
  onClose,
  children,
}: {
  label: string;
  shown?: string;
  isSet: boolean;
  onClear: () => void;
  opened: boolean;
  onOpen: () => void;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Popover opened={opened} onChange={(o) => (o ? onOpen() : onClose())} position="bottom-start" shadow="md" trapFocus withinPortal>
      <span className="cp-filter" data-set={isSet || undefined}>
        <Popover.Target>
          <UnstyledButton className="cp-filter-open" onClick={opened ? onClose : onOpen}>
            {label}
            {shown && <b>{shown}</b>}
            {!isSet && <IconChevronDown size={14} stroke={1.6} aria-hidden />}
          </UnstyledButton>
        </Popover.Target>
        {isSet && (
          <UnstyledButton className="cp-x" aria-label={`Clear filter ${label}`} onClick={onClear}>
            <IconX size={14} stroke={2} aria-hidden />
          </UnstyledButton>
        )}
      </span>
      <Popover.Dropdown aria-label={label}>{children}</Popover.Dropdown>
    </Popover>
  );
}

type Choice = { value: string; label: string };
type ChoiceProps = {
  label: string;
  choices: Choice[];
  value: string[];
  onChange: (value: string[]) => void;
  /** At most one choice. */
  single?: boolean;
  /** Default while nothing is chosen. */
  unset?: string;
};
/** A choice of several values or of one. None chosen means all. */
export function ChoiceFilter({ label, choices, value, onChange, single, unset }: ChoiceProps) {
  const [opened, { open, close }] = useDisclosure();
  const shown =
    value.length === 1 ? choices.find((c) => c.value === value[0])?.label : value.length ? `${value.length} of ${choices.length}` : unset;
  return (
    <FilterShell
      label={label}
      shown={shown}
      isSet={value.length > 0}
      onClear={() => onChange([])}
      opened={opened}
      onOpen={open}
      onClose={close}
    >
      {single ? (
        <Radio.Group value={value[0] ?? null} onChange={(chosen) => onChange([chosen])} {...unseenLabel(label)}>
          <div className="cp-choices">
            {choices.map((c) => (
              <Radio key={c.value} size="xs" value={c.value} label={c.label} />
            ))}
          </div>
        </Radio.Group>
      ) : (
        <Checkbox.Group value={value} onChange={onChange} {...unseenLabel(label)}>
          <div className="cp-choices">
            {choices.map((c) => (
              <Checkbox key={c.value} value={c.value} label={c.label} />
            ))}
          </div>
        </Checkbox.Group>
      )}
    </FilterShell>
  );
}

type RangeProps = {
  label: string;
  value: DateRange | null;
  onChange: (range: DateRange | null) => void;
  /** Default while nothing is chosen. */
  unset?: DateRange;
  /** All dates can be chosen. */
  hasAll?: boolean;
};
/** Named ranges, or any two dates. */
export function DateRangeFilter({ label, value, onChange, unset, hasAll }: RangeProps) {
  const [opened, { open, close }] = useDisclosure();
  const today = now();
  const active = value ?? unset ?? defaultRange(today);
  const isAll = value ? value.start === EVER && value.end === isoDate(today) : !unset;
  const choose = (range: DateRange | null) => {
    onChange(range);
    close();
  };
  const change = (part: Partial<DateRange>) => {
    const next = { ...active, ...part };
    if (next.start && next.end) onChange(next.start <= next.end ? next : { start: next.end, end: next.start });
  };
  return (
    <FilterShell
      label={label}
      shown={value || unset ? rangeLabel(active, today) : undefined}
      isSet={value !== null}
      onClear={() => onChange(null)}
      opened={opened}
      onOpen={open}
      onClose={close}
    >
      <div className="cp-ranges">
        {hasAll && (
          <UnstyledButton className="cp-range" data-on={isAll || undefined} onClick={() => choose(unset ? allDates(today) : null)}>
            All Dates
          </UnstyledButton>
        )}
        {namedRanges(today).map((n) => (
          <UnstyledButton
            key={n.label}
            className="cp-range"
            data-on={(n.range.start === active.start && n.range.end === active.end) || undefined}
            onClick={() => choose(n.range)}
          >
            {n.label}
          </UnstyledButton>
        ))}
        <fieldset className="cp-rangefields">
          <legend>Date Range</legend>
          <div className="cp-grid2 cp-dense">
            <DateInput label="From" value={active.start} onChange={(start) => change({ start })} />
            <DateInput label="To" value={active.end} onChange={(end) => change({ end })} />
          </div>
        </fieldset>
      </div>
    </FilterShell>
  );
}

type View = { value: string; label: string; count?: number };
type CountProps = { label: string; views: View[]; value: string; onChange: (value: string) => void; cap?: number; fullWidth?: boolean };
/** Quick views with their counts, `10,000+` above the cap. */
export function CountFilter({ label, views, value, onChange, cap = 10_000, fullWidth }: CountProps) {
  const data = views.map((v) => ({
    value: v.value,
    label: (
      <span>
        {v.label}
        {v.count !== undefined && (
          <span className="cp-count cp-num"> {v.count >= cap ? `${formatCount(cap)}+` : formatCount(v.count)}</span>
        )}
      </span>
    ),
  }));
  return <SegmentedControl aria-label={label} data={data} value={value} onChange={onChange} fullWidth={fullWidth} />;
}

export type ColumnFilterValue = { mode: 'equals' | 'contains'; text: string };
type ColumnProps = {
  title: string;
  order: SortState;
  by: string;
  onSort: (sort: SortState) => void;
  value: ColumnFilterValue | null;
  onFilter: (value: ColumnFilterValue | null) => void;
};
/** Sorting and filtering of one column. */
export function ColumnFilterMenu({ title, order, by, onSort, value, onFilter }: ColumnProps) {
  const [draft, setDraft] = useState<ColumnFilterValue>(value ?? { mode: 'contains', text: '' });
  const sorted = order.by === by ? order.dir : null;
  const sortBy = (dir: 'asc' | 'desc') => onSort(sorted === dir ? { by: null, dir: 'desc' } : { by, dir });
  return (
    <Popover position="bottom-start" shadow="md" trapFocus withinPortal>
      <Popover.Target>
        <UnstyledButton
          className="cp-colfilter"
          data-on={sorted !== null || value !== null || undefined}
          aria-label={`Sort and filter ${title}`}
        >
          <IconFilter size={13} stroke={1.8} aria-hidden />
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown aria-label={`Sort and filter ${title}`}>
        <div className="cp-ranges">
          {(['desc', 'asc'] as const).map((dir) => (
            <UnstyledButton
              key={dir}
              className="cp-range"
              data-on={sorted === dir || undefined}
              aria-pressed={sorted === dir}
              onClick={() => sortBy(dir)}
            >
              {dir === 'desc' ? 'Descending' : 'Ascending'}
            </UnstyledButton>
          ))}
          <form
            className="cp-colform cp-dense"
            onSubmit={(e) => {
              e.preventDefault();
              onFilter(draft.text.trim() ? { ...draft, text: draft.text.trim() } : null);
            }}
          >
            <Select
              aria-label="Kind of filter"
              allowDeselect={false}
              comboboxProps={{ withinPortal: false }}
              data={[
                { value: 'equals', label: 'Where value equals' },
                { value: 'contains', label: 'contains' },
              ]}
              value={draft.mode}
              onChange={(mode) => mode && setDraft({ ...draft, mode })}
            />
            <TextInput aria-label="Value" value={draft.text} onChange={(e) => setDraft({ ...draft, text: e.currentTarget.value })} />
            <Button type="submit" size="xs">
              Filter
            </Button>
            <Button
              size="xs"
              variant="subtle"
              onClick={() => {
                setDraft({ ...draft, text: '' });
                onFilter(null);
              }}
            >
              Clear
            </Button>
          </form>
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}
