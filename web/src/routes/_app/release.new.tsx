import { createFileRoute } from '@tanstack/react-router';
import { guard } from '@/app/session';
import { planGate, stayedOn } from '@/app/upgrade';
import { NewReleasePage } from '@/features/release/compose/pages';
import { returnSearch } from '@/features/release/compose/search';
import { paths } from '@/shared/paths';

export const Route = createFileRoute('/_app/release/new')({
  validateSearch: returnSearch,
  beforeLoad: async (context) => {
    const { profile } = await guard({ landingRoles: ['Administrator', 'User'], whenNotActivated: paths.release() })(context);
    planGate(profile, 'releaseRoute', stayedOn(context));
  },
  component: Page,
});

function Page() {
  return <NewReleasePage returnUrl={Route.useSearch().returnUrl} />;
}
