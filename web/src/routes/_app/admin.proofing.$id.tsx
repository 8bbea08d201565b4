import { createFileRoute } from '@tanstack/react-router';
import { ReviewPage } from '@/features/admin/proofing/ReviewPage';

export const Route = createFileRoute('/_app/admin/proofing/$id')({
  validateSearch: ({ organization }: Record<string, unknown>): { organization?: string } => ({
    organization: typeof organization === 'string' ? organization : undefined,
  }),
  component: Page,
});

function Page() {
  const { id } = Route.useParams();
  const { organization } = Route.useSearch();
  return <ReviewPage key={`${id} ${organization}`} id={id} organization={organization} />;
}
