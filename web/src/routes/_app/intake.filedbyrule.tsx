import { createFileRoute } from '@tanstack/react-router';
import { FiledByRulePage } from '@/features/intake/filedByRule/FiledByRulePage';
import { filedSearch } from '@/features/intake/filedByRule/search';

export const Route = createFileRoute('/_app/intake/filedbyrule')({
  validateSearch: filedSearch,
  component: FiledByRulePage,
});
