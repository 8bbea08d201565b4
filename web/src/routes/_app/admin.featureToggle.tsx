import { createFileRoute } from '@tanstack/react-router';
import { FeaturesPage } from '@/features/admin/features/FeaturesPage';
import { listSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/admin/featureToggle')({ validateSearch: listSearch, component: FeaturesPage });
