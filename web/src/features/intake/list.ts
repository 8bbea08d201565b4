import type { IntakeItem, IntakePage, IntakeRequest } from '@/api/types';
import { EVER, endOfDay, isIsoDate, startOfDay } from '@/shared/rules/dates';
import { type ListSearch, listOf, listSearch, type SortState } from '@/shared/table/listSearch';
import { defaultStart, OPEN_STATUSES } from '@/domain/messaging/intakeList';

const views = ['all', 'unassigned', 'mine', 'urgent', 'snoozed'] as const;
export type View = (typeof views)[number];

/** The list's URL parameters. Lists are comma-separated. */
export type IntakeSearch = ListSearch & {
  view?: View;
  from?: string;
  until?: string;
  /** `all` includes processed messages; absent means those still to do. */
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

/** In the status filter: processed messages too. */
export const ALL_STATUSES = 'all';

/** The requested statuses. Words find processed messages too unless a status is chosen. */
const statusesOf = (status: string | undefined, words: string) => {
  if (!status) return words ? [] : OPEN_STATUSES;
  return listOf(status).filter((s) => s !== ALL_STATUSES);
};

/** Words are searched in all messages, unless dates are chosen. */
const startOf = ({ from, until }: IntakeSearch, words: string) => {
  if (from) return startOfDay(from);
  return words && !until ? startOfDay(EVER) : defaultStart();
};

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
    startDate: startOf(search, words),
    endDate: search.until && endOfDay(search.until),
    rules: [],
    statuses: statusesOf(search.status, words),
    isAll: view === 'all',
    isUnassigned: view === 'unassigned',
    isAssignedToSelf: view === 'mine',
    isUrgent: view === 'urgent',
    isSnoozed: view === 'snoozed',
    hidesSnoozed: !search.status && !words && view !== 'snoozed',
    sourceTypes: listOf(search.source),
    processedTypes: listOf(search.processed),
    sources: listOf(search.to),
    filter: words || undefined,
  };
}

/** The parameters that determine the list's messages, without the page. */
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

/**
 * New values in the current order, so that no row moves under the pointer. A row that left the list goes, and one that
 * moved up from the next page comes at the end; those that arrived wait.
 */
export function keepOrder(shown: IntakePage, fresh: IntakePage): { page: IntakePage; arrived: number } {
  const byId = new Map(fresh.items.map((m) => [m.id, m]));
  const known = new Set(shown.items.map((m) => m.id));
  const last = shown.items.findLastIndex((m) => byId.has(m.id));
  if (last < 0) return fresh.items.length ? { page: shown, arrived: fresh.items.length } : { page: fresh, arrived: 0 };
  const end = fresh.items.findLastIndex((m) => known.has(m.id));
  const arrived = fresh.items.slice(0, end).filter((m) => !known.has(m.id)).length;
  // Rows that arrived push the last ones to the next page; they have not left the list.
  const kept = shown.items.filter((m, at) => byId.has(m.id) || (at > last && arrived > 0)).map((m) => byId.get(m.id) ?? m);
  const fits = Math.max(0, shown.items.length - kept.length);
  return {
    page: { ...fresh, items: [...kept, ...fresh.items.slice(end + 1, end + 1 + fits)] },
    arrived,
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

/** Name of a message's row: a fax has no subject, so its topic is shown once known. */
export function titleOf(m: IntakeItem): string {
  const subject = m.subject || 'No subject';
  if (m.sourceType !== 'Fax') return subject;
  const about = [m.documentType || m.proposal?.documentType, m.patientName || m.proposal?.patientName].filter(Boolean);
  return about.join(' · ') || subject;
}
