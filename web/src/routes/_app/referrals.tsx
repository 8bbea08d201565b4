import { createFileRoute } from '@tanstack/react-router';
import { ReferralsPage } from '@/features/referrals/ReferralsPage';
import { referralsSearch } from '@/features/referrals/search';

export const Route = createFileRoute('/_app/referrals')({
  validateSearch: referralsSearch,
  component: ReferralsPage,
});
