import { createFileRoute } from '@tanstack/react-router';
import { guard } from '@/app/session';
import { planGate, stayedOn } from '@/app/upgrade';
import { DraftPage } from '@/features/release/compose/pages';
import { returnSearch } from '@/features/release/compose/search';

export const Route = createFileRoute('/_app/release/draft/$id')({
  validateSearch: returnSearch,
  beforeLoad: async (context) => {
    const { profile } = await guard({ landingRoles: ['Administrator', 'User'] })(context);
    planGate(profile, 'releaseRoute', stayedOn(context));
  },
  component: Page,
});

function Page() {
  const { id } = Route.useParams();
  return <DraftPage key={id} id={id} returnUrl={Route.useSearch().returnUrl} />;
}
