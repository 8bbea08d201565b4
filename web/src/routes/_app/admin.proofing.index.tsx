import { createFileRoute } from '@tanstack/react-router';
import { ProofingPage } from '@/features/admin/proofing/ProofingPage';
import { listSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/admin/proofing/')({ validateSearch: listSearch, component: ProofingPage });
