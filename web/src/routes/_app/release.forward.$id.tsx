import { createFileRoute } from '@tanstack/react-router';
import { guard } from '@/app/session';
import { planGate, stayedOn } from '@/app/upgrade';
import { ForwardPage } from '@/features/release/compose/pages';
import { returnSearch } from '@/features/release/compose/search';
import { paths } from '@/shared/paths';

export const Route = createFileRoute('/_app/release/forward/$id')({
  validateSearch: returnSearch,
  beforeLoad: async (context) => {
    const { profile } = await guard({ landingRoles: ['Administrator', 'User'], whenNotActivated: paths.release() })(context);
    planGate(profile, 'forward', stayedOn(context));
  },
  component: Page,
});

function Page() {
  const { id } = Route.useParams();
  return <ForwardPage key={id} id={id} returnUrl={Route.useSearch().returnUrl} />;
}
