import { createFileRoute } from '@tanstack/react-router';
import { UtilitiesPage } from '@/features/admin/utilities/UtilitiesPage';

export const Route = createFileRoute('/_app/admin/utils/')({ component: UtilitiesPage });
