import { createFileRoute } from '@tanstack/react-router';
import { ActivityPage } from '@/features/account/activity/ActivityPage';
import { activitySearch } from '@/features/account/activity/search';

export const Route = createFileRoute('/_app/account/activity')({
  validateSearch: activitySearch,
  component: ActivityPage,
});
