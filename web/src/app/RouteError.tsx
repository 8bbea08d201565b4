import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { NotSignedIn } from '@/api/token';
import { ErrorState } from '@/shared/ui/blocks';

/** Shown when a screen itself fails. */
export function RouteError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  // The sign-in page follows.
  if (error instanceof NotSignedIn) return null;
  const again = () => {
    reset();
    void router.invalidate();
  };
  return (
    <div className="cp-fill">
      <ErrorState title="This page could not be shown" error={error instanceof Error ? error : null} onRetry={again} />
    </div>
  );
}
