import { filteredSearch } from '@/shared/table/listSearch';

const search = filteredSearch('status', 'type', 'channel');
/** The page size may be called `pageSize`, as links of other tools do. */
export const runsSearch = (raw: Record<string, unknown>) => search({ ...raw, size: raw.size ?? raw.pageSize });
