import { useQuery } from '@tanstack/react-query';
import { useProfile } from '@/app/session';
import { DirectAddresses } from '@/domain/addresses/DirectAddresses';
import { assignableQuery } from '@/domain/messaging/api';

/** The Direct addresses of the person's organization. */
export function AddressesPage() {
  const people = useQuery(assignableQuery).data ?? [];
  return <DirectAddresses people={people} requester={useProfile().userId} />;
}
