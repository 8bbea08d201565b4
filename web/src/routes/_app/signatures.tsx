import { createFileRoute } from '@tanstack/react-router';
import { signaturesSearch } from '@/features/intake/signatures/search';
import { SignaturesPage } from '@/features/intake/signatures/SignaturesPage';

export const Route = createFileRoute('/_app/signatures')({
  validateSearch: signaturesSearch,
  component: SignaturesPage,
});
