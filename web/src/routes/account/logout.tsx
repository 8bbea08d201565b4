import { createFileRoute, redirect } from '@tanstack/react-router';
import { storedConnection } from '@/app/redirectMemory';
import { cameByProvider, signOut } from '@/app/session';
import { SignedOutPage } from '@/features/auth/pages';
import { paths } from '@/shared/paths';
import { unsaved } from '@/shared/sealedStore';

export const Route = createFileRoute('/account/logout')({
  beforeLoad: async ({ location }) => {
    await unsaved.destroy();
    const byProvider = storedConnection() !== null && (await cameByProvider());
    await signOut();
    const target = paths.signedOut(storedConnection());
    if (byProvider && location.href !== target) throw redirect({ href: target, replace: true });
  },
  component: SignedOutPage,
});
