import { createFileRoute, redirect } from '@tanstack/react-router';
import { afterSignIn } from '@/app/session';
import { paths } from '@/shared/paths';

/** Single sign-on comes back here with the session's cookie set. */
export const Route = createFileRoute('/callback')({
  beforeLoad: async () => {
    const target = await afterSignIn().catch(() => paths.authError);
    throw redirect({ href: target, replace: true });
  },
});
