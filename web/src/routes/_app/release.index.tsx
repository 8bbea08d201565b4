import { createFileRoute } from '@tanstack/react-router';
import { guard } from '@/app/session';
import { planGate, stayedOn } from '@/app/upgrade';
import { ReleasePage } from '@/features/release/list/ReleasePage';
import { releaseSearch } from '@/features/release/list/search';

export const Route = createFileRoute('/_app/release/')({
  validateSearch: releaseSearch,
  beforeLoad: async (context) => {
    const { profile } = await guard({ landingRoles: ['Administrator', 'User'] })(context);
    planGate(profile, 'releaseRoute', stayedOn(context));
  },
  component: ReleasePage,
});
