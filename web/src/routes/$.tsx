import { createFileRoute } from '@tanstack/react-router';
import { toLanding } from '@/app/session';

/** Unknown paths. */
export const Route = createFileRoute('/$')({ beforeLoad: toLanding({ storedFirst: true }) });
