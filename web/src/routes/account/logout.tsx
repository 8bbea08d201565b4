import { createFileRoute } from '@tanstack/react-router';
import { signOut } from '@/app/session';
import { SignedOutPage } from '@/features/auth/pages';
import { unsaved } from '@/shared/sealedStore';

export const Route = createFileRoute('/account/logout')({
  beforeLoad: async () => {
    await unsaved.destroy();
    await signOut();
  },
  component: SignedOutPage,
});
