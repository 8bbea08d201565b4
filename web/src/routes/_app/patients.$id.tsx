import { createFileRoute } from '@tanstack/react-router';
import { PatientPage } from '@/features/patients/PatientPage';
import { listSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/patients/$id')({
  validateSearch: listSearch,
  component: Page,
});

function Page() {
  const { id } = Route.useParams();
  return <PatientPage key={id} id={id} />;
}
