import { useQuery } from '@tanstack/react-query';
import { useRouterState } from '@tanstack/react-router';
import { brandingQuery } from './branding';
import { router } from './router';

/** Tells that the application is being opened, until its first screen stands or it says that it cannot be. */
export function OpeningLine() {
  const { isError } = useQuery(brandingQuery);
  const isOpen = useRouterState({ router, select: (s) => s.resolvedLocation !== undefined });
  return isOpen || isError ? null : <div className="cp-opening" role="progressbar" aria-label="Loading" />;
}
