import { createFileRoute } from '@tanstack/react-router';
import { BrandsPage } from '@/features/admin/brands/BrandsPage';
import { listSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/admin/brands')({
  validateSearch: listSearch,
  component: BrandsPage,
});
