import { useProfile } from '@/app/session';
import { ServiceAccounts } from '@/domain/service/ServiceAccounts';

/** The systems of the organization that call the API with a token. */
export function ServiceAccountsPage() {
  const { organizationId } = useProfile();
  return organizationId ? <ServiceAccounts organizationId={organizationId} /> : null;
}
