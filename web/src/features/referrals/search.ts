import { filteredSearch } from '@/shared/table/listSearch';

export const referralsSearch = filteredSearch('all', 'overdue');
