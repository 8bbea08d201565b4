import { queryOf, reshaped } from '@/api/query';
import type { Eula } from '@/api/types';
import type { ListRequest } from '@/shared/crud/CrudPage';
import { DEFAULT_PAGE_SIZE, type ListSearch, type SortState } from '@/shared/table/listSearch';

export const EULAS = '/api/admin/eulas';
export const NEWEST: SortState = { by: 'version', dir: 'desc' };

/** The version of the terms, which is not that of a record. */
export type EulaRow = Omit<Eula, 'version'> & { number: string };
type SortBy = 'version' | 'brand' | 'type' | 'active';

export const eulasQuery = ({ search, page, size, sort }: Pick<ListRequest, 'search' | 'page' | 'size' | 'sort'>) => {
  const sortBy = (sort.by ?? 'version') as SortBy;
  const asked = { search, pageNumber: page, pageSize: size, sortBy, sortDir: sort.by ? sort.dir : ('desc' as const) };
  return reshaped(queryOf('get', EULAS, { params: { query: asked } }), ({ items, ...rest }) => ({
    ...rest,
    items: items.map(({ version, ...eula }): EulaRow => ({ ...eula, number: version })),
  }));
};

/** The page that an address shows. */
export const eulasAt = ({ search, page = 1, size = DEFAULT_PAGE_SIZE, sort, dir = 'desc' }: ListSearch) =>
  eulasQuery({ search, page, size, sort: sort ? { by: sort, dir } : NEWEST });
