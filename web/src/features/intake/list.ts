import type { IntakeItem, IntakePage, IntakeRequest } from '@/api/types';
import { endOfDay, isIsoDate, startOfDay } from '@/shared/rules/dates';
import { type ListSearch, listOf, listSearch, type SortState } from '@/shared/table/listSearch';
import { defaultStart } from '@/domain/messaging/intakeList';

const views = ['all', 'unassigned', 'mine', 'urgent'] as const;
export type View = (typeof views)[number];

/** The list's URL parameters. Lists are comma-separated. */
export type IntakeSearch = ListSearch & {
  view?: View;
  from?: string;
  until?: string;
  status?: string;
  source?: string;
  to?: string;
  processed?: string;
};

const text = (v: unknown) => (typeof v === 'string' && v ? v : undefined);
const date = (v: unknown) => (typeof v === 'string' && isIsoDate(v) ? v : undefined);

export const intakeSearch = (raw: Record<string, unknown>): IntakeSearch => ({
  ...listSearch(raw),
  view: views.find((v) => v === raw.view && v !== 'all'),
  from: date(raw.from),
  until: date(raw.until),
  status: text(raw.status),
  source: text(raw.source),
  to: text(raw.to),
  processed: text(raw.processed),
});

export const DEFAULT_ORDER: SortState = { by: 'createdDate', dir: 'desc' };

type ListState = { search: IntakeSearch; words: string; page: number; size: number; order: SortState };

/** The list's URL as a request. */
export function intakeRequest({ search, words, page, size, order }: ListState): IntakeRequest {
  const by = order.by ? order : DEFAULT_ORDER;
  const view = search.view ?? 'all';
  return {
    pageStart: page,
    pageSize: size,
    cursor: search.cursor,
    orderBy: by.by ?? undefined,
    orderDir: by.dir,
    // Days in the reader's time zone, not in UTC.
    startDate: search.from ? startOfDay(search.from) : defaultStart(),
    endDate: search.until && endOfDay(search.until),
    rules: [],
    statuses: listOf(search.status),
    isAll: view === 'all',
    isUnassigned: view === 'unassigned',
    isAssignedToSelf: view === 'mine',
    isUrgent: view === 'urgent',
    sourceTypes: listOf(search.source),
    processedTypes: listOf(search.processed),
    sources: listOf(search.to),
    filter: words || undefined,
  };
}

/** What determines the messages of the list, regardless of the page. */
export const filtersOf = ({
  pageStart: _page,
  pageSize: _size,
  cursor: _cursor,
  orderBy: _by,
  orderDir: _dir,
  ...filters
}: IntakeRequest): IntakeRequest => filters;

export const hasFilters = ({ from, until, status, source, to, processed }: IntakeSearch, words: string) =>
  Boolean(from || until || status || source || to || processed || words);

/** New values in the current order, so that no row moves under the pointer. */
export function keepOrder(shown: IntakePage, fresh: IntakePage): { page: IntakePage; arrived: number } {
  const byId = new Map(fresh.items.map((m) => [m.id, m]));
  const known = new Set(shown.items.map((m) => m.id));
  return {
    page: { ...fresh, items: shown.items.map((m) => byId.get(m.id) ?? m) },
    arrived: fresh.items.filter((m) => !known.has(m.id)).length,
  };
}

export const senderOf = (m: Pick<IntakeItem, 'fromName' | 'fromAddress'>, format: (address: string) => string) =>
  m.fromName || format(m.fromAddress);

export const PROCESS_TYPES = [
  { value: 'Printed', label: 'Printed' },
  { value: 'StructuredExport', label: 'Structured export' },
  { value: 'PDFExport', label: 'PDF export' },
  { value: 'NativeExport', label: 'Native export' },
];
export const STATUSES = ['Received', 'Uploaded', 'Triaged', 'Pending', 'Processed', 'Forwarded', 'Replied', 'Failed'];
