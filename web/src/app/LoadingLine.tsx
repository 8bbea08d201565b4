import { useQuery } from '@tanstack/react-query';
import { useRouterState } from '@tanstack/react-router';
import { useIsLoading } from '@/api/pending';
import { brandingQuery } from './branding';
import { router } from './router';

/** Visible during requests, and until the first screen is shown or has failed. */
export function LoadingLine() {
  const isAsking = useIsLoading();
  const { isError } = useQuery(brandingQuery);
  const isOpening = useRouterState({ router, select: (s) => s.resolvedLocation === undefined });
  const isOn = isAsking || (isOpening && !isError);
  return <div className="cp-loading" data-on={isOn || undefined} role="progressbar" aria-label="Loading" aria-hidden={!isOn} />;
}
