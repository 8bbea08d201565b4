import { createFileRoute, redirect } from '@tanstack/react-router';
import { afterSignIn } from '@/app/session';
import { paths } from '@/shared/paths';

/** Providers answer to the address of their organization below this one; visitors of this one are redirected. */
export const Route = createFileRoute('/callback/')({
  beforeLoad: async () => {
    const target = await afterSignIn().catch(() => paths.authError);
    throw redirect({ href: target, replace: true });
  },
});
