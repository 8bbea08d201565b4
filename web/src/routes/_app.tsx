import { createFileRoute } from '@tanstack/react-router';
import { guard } from '@/app/session';
import { Shell } from '@/app/shell/Shell';

export const Route = createFileRoute('/_app')({ beforeLoad: guard(), component: Shell });
