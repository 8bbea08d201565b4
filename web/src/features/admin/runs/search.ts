import { filteredSearch } from '@/shared/table/listSearch';

export const RUN_SIZES: readonly number[] = [10, 20, 50, 100];

const search = filteredSearch('status', 'type', 'channel');
/** The page size may be called `pageSize`, as links of other tools do. */
export const runsSearch = (raw: Record<string, unknown>) => search({ ...raw, size: raw.size ?? raw.pageSize });
