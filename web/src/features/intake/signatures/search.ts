import { filteredSearch } from '@/shared/table/listSearch';

export const signaturesSearch = filteredSearch('view');
