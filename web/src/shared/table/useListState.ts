import { useLocation, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useEffectEvent } from 'react';
import { ownName } from '../owner';
import {
  DEFAULT_PAGE_SIZE,
  type FilterValue,
  type ListSearch,
  nextSort,
  OFFSET_LIMIT,
  PAGE_SIZES,
  pageCount,
  type SortState,
} from './listSearch';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Search words that may name a patient: kept with the history entry, never in the URL. */
    search?: string;
    /** Their owner and list: another person who goes back in this tab does not see them. */
    searchOf?: string;
  }
}

/** Search words as the history keeps them. */
export const ownSearch = (search: string | undefined) => ({ search, searchOf: ownName('search') });

type Options = {
  /** The page sizes to choose from. */
  sizes?: readonly number[];
  size?: number;
  sort?: SortState;
  /** The search words may name a patient, so they stay out of the URL (back and reload still keep them). */
  privateSearch?: boolean;
};

/**
 * Page, size, sort and search of the list in view, read from and written to the URL.
 * `set` changes any search parameter and goes back to page 1 unless given a page.
 */
export function useListState<S extends ListSearch>({
  sizes = PAGE_SIZES,
  size = sizes.includes(DEFAULT_PAGE_SIZE) ? DEFAULT_PAGE_SIZE : sizes[0]!,
  sort = { by: null, dir: 'desc' },
  privateSearch = false,
}: Options = {}) {
  const raw = useSearch({ strict: false });
  const search = raw as unknown as S;
  const kept = useLocation({ select: ({ state }) => (state.searchOf === ownName('search') ? state.search : undefined) });
  const navigate = useNavigate();
  const set = (change: Partial<S>, state?: ReturnType<typeof ownSearch>) =>
    void navigate({
      to: '.',
      search: (old: object) => ({ ...old, page: undefined, cursor: undefined, ...change }) as never,
      state: (old) => ({ ...old, ...state }),
      replace: true,
    });
  const order: SortState = search.sort ? { by: search.sort, dir: search.dir ?? 'desc' } : sort;
  return {
    search,
    /** The search words. */
    words: (privateSearch ? kept : search.search) ?? '',
    set,
    page: search.page ?? 1,
    sizes,
    size: search.size && sizes.includes(search.size) ? search.size : size,
    order,
    toggleSort: (by: string) => {
      // A list that is always sorted by this column toggles the direction; others can be unsorted too.
      const turned: SortState = { by, dir: order.dir === 'asc' ? 'desc' : 'asc' };
      const next = sort.by === by && order.by === by ? turned : nextSort(order, by);
      const isDefault = next.by === null || (next.by === sort.by && next.dir === sort.dir);
      set({ sort: isDefault ? undefined : next.by, dir: isDefault ? undefined : next.dir } as Partial<S>);
    },
    setPage: (page: number, cursor?: string) => set({ page: page > 1 ? page : undefined, cursor } as Partial<S>),
    setSize: (n: number) => set({ size: n === size ? undefined : n } as Partial<S>),
    /** The choice in a filter of this name. */
    filter: (name: string): string | undefined => {
      const value = (raw as Record<string, FilterValue | undefined>)[name];
      return value === undefined ? undefined : String(value);
    },
    setFilter: (name: string, value: string | undefined) =>
      set({ [name]: value === 'true' || value === 'false' ? value === 'true' : value } as Partial<S>),
    /** The id of the record whose dialog is open; in the URL, so that a reload or a link opens it. */
    edited: search.edit,
    edit: (id: string | undefined) =>
      void navigate({ to: '.', search: (old: object) => ({ ...old, edit: id }) as never, state: true, replace: id === undefined }),
    setSearch: (text: string) => {
      const words = text.trim() || undefined;
      if (privateSearch) set({}, ownSearch(words));
      else set({ search: words } as Partial<S>);
    },
  };
}

type Paging = Pick<ReturnType<typeof useListState>, 'page' | 'size' | 'setPage'>;
type Shown = { rows: unknown[] | undefined; total: number | undefined; isPlaceholder: boolean };

/** Goes to the last page if the rows of the current one are gone; `true` while that loads. */
export function useExistingPage({ page, size, setPage }: Paging, { rows, total = 0, isPlaceholder }: Shown): boolean {
  const last = pageCount(Math.min(total, OFFSET_LIMIT), size);
  const isGone = rows?.length === 0 && total > 0 && (isPlaceholder || page > last);
  const leave = useEffectEvent(() => setPage(last));
  useEffect(() => {
    if (isGone && !isPlaceholder) leave();
  }, [isGone, isPlaceholder]);
  return isGone;
}
