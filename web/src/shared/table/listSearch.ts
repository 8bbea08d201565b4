/** The state of a list lives in the URL. Kept free of components: route files are in the entry bundle. */

export const PAGE_SIZES: readonly number[] = [10, 25, 50, 100];
export const DEFAULT_PAGE_SIZE = 10;
/** The height of a row, and of the content above and below a list that fills the window, in px. */
const ROW = 40;
const AROUND = 252;
/** Default page size: the rows that fit in the window, from ten up to the maximum of a page. */
export const rowsOfWindow = (height: number) =>
  Math.min(Math.max(Math.floor((height - AROUND) / ROW), DEFAULT_PAGE_SIZE), PAGE_SIZES.at(-1)!);
/** For lists that begin with 20 rows. */
export const PAGE_SIZES_OF_20: readonly number[] = [10, 20, 50, 100];
const KNOWN_SIZES = new Set([...PAGE_SIZES, ...PAGE_SIZES_OF_20]);
/** Rows reachable by page number; beyond them there is a cursor. */
export const OFFSET_LIMIT = 10_000;

export type ListSearch = {
  page?: number;
  size?: number;
  sort?: string;
  dir?: 'asc' | 'desc';
  search?: string;
  cursor?: string;
  edit?: string;
};
/** The id that stands for a record that does not exist yet. */
export const NEW = 'new';
/** The value of a filter in the URL. */
export type FilterValue = string | boolean;

const text = (v: unknown) => (typeof v === 'string' && v ? v : typeof v === 'number' ? String(v) : undefined);

/** For `validateSearch`: keeps well-formed parameters, drops the rest. */
export function listSearch(raw: Record<string, unknown>): ListSearch {
  const page = Math.trunc(Number(raw.page));
  const size = Number(raw.size);
  return {
    page: page > 1 ? page : undefined,
    size: KNOWN_SIZES.has(size) ? size : undefined,
    sort: typeof raw.sort === 'string' && /^\w+$/.test(raw.sort) ? raw.sort : undefined,
    dir: raw.dir === 'asc' || raw.dir === 'desc' ? raw.dir : undefined,
    search: text(raw.search),
    cursor: text(raw.cursor),
    edit: text(raw.edit),
  };
}

/** The same with the filters of a list, by their names in the URL. */
export const filteredSearch =
  (...filters: string[]) =>
  (raw: Record<string, unknown>): ListSearch =>
    Object.assign(
      listSearch(raw),
      Object.fromEntries(filters.map((name) => [name, typeof raw[name] === 'boolean' ? raw[name] : text(raw[name])])),
    );

/** Comma-separated choices in a search parameter. */
export const listOf = (value: unknown): string[] => (typeof value === 'string' ? value.split(',').filter(Boolean) : []);

export type SortState = { by: string | null; dir: 'asc' | 'desc' };
/** None, descending, ascending, none. */
export function nextSort(current: SortState, by: string): SortState {
  if (current.by !== by) return { by, dir: 'desc' };
  return current.dir === 'desc' ? { by, dir: 'asc' } : { by: null, dir: 'desc' };
}

export const pageCount = (total: number, size: number) => Math.max(1, Math.ceil(total / size));
export const clampPage = (page: number, pages: number) => Math.min(Math.max(1, Math.trunc(page) || 1), pages);

/** The five page links of the group that holds the page. */
export function pageGroup(page: number, pages: number, perGroup = 5): number[] {
  const first = Math.floor((page - 1) / perGroup) * perGroup + 1;
  return Array.from({ length: Math.min(perGroup, pages - first + 1) }, (_, i) => first + i);
}
