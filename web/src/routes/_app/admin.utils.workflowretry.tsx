import { createFileRoute } from '@tanstack/react-router';
import { RetryPage } from '@/features/admin/utilities/RetryPage';

export const Route = createFileRoute('/_app/admin/utils/workflowretry')({ component: RetryPage });
