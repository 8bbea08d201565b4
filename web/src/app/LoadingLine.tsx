import { useQuery } from '@tanstack/react-query';
import { useRouterState } from '@tanstack/react-router';
import { useBusy } from '@/api/busy';
import { useIsLoading } from '@/api/pending';
import { brandingQuery } from './branding';
import { router } from './router';

/** Visible during requests, and until the first screen is shown or has failed. */
export function LoadingLine() {
  const isAsking = useIsLoading();
  const { isError } = useQuery(brandingQuery);
  const isOpening = useRouterState({ router, select: (s) => s.resolvedLocation === undefined });
  const isMoving = useRouterState({ router, select: (s) => s.isLoading });
  const isOn = isAsking || (isOpening && !isError);
  useBusy(isOn || isMoving);
  return <div className="cp-loading" data-on={isOn || undefined} role="progressbar" aria-label="Loading" aria-hidden={!isOn} />;
}
