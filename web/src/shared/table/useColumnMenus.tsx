import { useState } from 'react';
import type { Column } from './DataTable';
import { ColumnFilterMenu, type ColumnFilterValue } from './filters';
import type { SortState } from './listSearch';

const matches = (text: string, { mode, text: wanted }: ColumnFilterValue) => {
  const [has, asked] = [text.trim().toLowerCase(), wanted.toLowerCase()];
  return mode === 'equals' ? has === asked : has.includes(asked);
};

/** Sorts and filters a fully loaded list, by menus in the heads of these columns. They go by `text` of the column. */
export function useColumnMenus<T>(columns: Column<T>[], rows: T[] | undefined, keys: readonly string[]) {
  const [order, onSort] = useState<SortState>({ by: null, dir: 'desc' });
  const [filters, setFilters] = useState<Record<string, ColumnFilterValue | null>>({});
  const textOf = (key: string, row: T) => columns.find((c) => c.key === key)?.text?.(row) ?? '';
  const set = Object.entries(filters).flatMap(([key, filter]) => (filter ? [{ key, filter }] : []));
  const found = rows?.filter((row) => set.every(({ key, filter }) => matches(textOf(key, row), filter)));
  const { by, dir } = order;
  const compare = (key: string) => (a: T, b: T) =>
    textOf(key, a).localeCompare(textOf(key, b), 'en-US', { numeric: true }) * (dir === 'asc' ? 1 : -1);
  return {
    rows: by ? found?.toSorted(compare(by)) : found,
    order,
    isFiltered: set.length > 0,
    clear: () => setFilters({}),
    columns: columns.map((c) =>
      keys.includes(c.key)
        ? {
            ...c,
            filter: (
              <ColumnFilterMenu
                title={c.title}
                by={c.key}
                order={order}
                onSort={onSort}
                value={filters[c.key] ?? null}
                onFilter={(value) => setFilters((old) => ({ ...old, [c.key]: value }))}
              />
            ),
          }
        : c,
    ),
  };
}
