import { createFileRoute, redirect } from '@tanstack/react-router';
import { afterSignIn, returnFromProvider } from '@/app/session';
import { paths } from '@/shared/paths';

const text = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : undefined);

/** A sign-in provider sends people back to here. The address is replaced: what stands in it is nobody else's business. */
export const Route = createFileRoute('/callback')({
  validateSearch: (search) => ({ state: text(search.state), code: text(search.code), iss: text(search.iss) }),
  beforeLoad: async ({ search: { state, code, iss } }) => {
    const target = state ? await returnFromProvider({ state, code, iss }) : await afterSignIn().catch(() => paths.authError);
    throw redirect({ href: target, replace: true });
  },
});
