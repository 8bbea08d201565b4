import { createFileRoute } from '@tanstack/react-router';
import { toLanding } from '@/app/session';

export const Route = createFileRoute('/')({ beforeLoad: toLanding() });
