import { createFileRoute } from '@tanstack/react-router';
import { guard } from '@/app/session';
import { planGate, stayedOn } from '@/app/upgrade';
import { ReplyPage } from '@/features/release/compose/pages';
import { returnSearch } from '@/features/release/compose/search';
import { paths } from '@/shared/paths';

export const Route = createFileRoute('/_app/release/reply/$id')({
  validateSearch: returnSearch,
  beforeLoad: async (context) => {
    const { profile } = await guard({ landingRoles: ['Administrator', 'User'], whenNotActivated: paths.release() })(context);
    planGate(profile, 'reply', stayedOn(context));
  },
  component: Page,
});

function Page() {
  const { id } = Route.useParams();
  return <ReplyPage key={id} id={id} returnUrl={Route.useSearch().returnUrl} />;
}
