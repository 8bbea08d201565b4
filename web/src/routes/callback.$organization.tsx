import { createFileRoute, redirect } from '@tanstack/react-router';
import { returnFromProvider } from '@/app/session';

const text = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : undefined);

/** The sign-in provider of an organization sends people back to here. The address is replaced: its content is confidential. */
export const Route = createFileRoute('/callback/$organization')({
  validateSearch: (search) => ({ state: text(search.state), code: text(search.code), iss: text(search.iss) }),
  beforeLoad: async ({ params: { organization }, search: { state, code, iss } }) => {
    const target = await returnFromProvider({ organization, state: state ?? '', code, iss });
    throw redirect({ href: target, replace: true });
  },
});
