import { createFileRoute } from '@tanstack/react-router';
import { guard } from '@/app/session';
import { ProfilePage } from '@/features/account/profile/ProfilePage';

export const Route = createFileRoute('/_app/account/profile')({ beforeLoad: guard(), component: ProfilePage });
