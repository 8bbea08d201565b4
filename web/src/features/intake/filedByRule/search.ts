import { type ListSearch, listSearch } from '@/shared/table/listSearch';
import { isIsoDate } from '@/shared/rules/dates';

/** Kept free of components: the route file is in the entry bundle. */
export type FiledSearch = ListSearch & {
  view?: 'left';
  /** Id of a rule. */
  rule?: string;
  from?: string;
  until?: string;
};

const dayOf = (value: unknown) => (typeof value === 'string' && isIsoDate(value) ? value : undefined);

/** `day` is both dates: the e-mail about a day leads there. */
export const filedSearch = (raw: Record<string, unknown>): FiledSearch => ({
  ...listSearch(raw),
  view: raw.view === 'left' ? 'left' : undefined,
  rule: typeof raw.rule === 'string' && raw.rule ? raw.rule : undefined,
  from: dayOf(raw.from) ?? dayOf(raw.day),
  until: dayOf(raw.until) ?? dayOf(raw.day),
});
