import { Button } from '@mantine/core';
import type { ChartConnection } from '@/api/types';
import { ErrorState } from '@/shared/ui/blocks';
import { isLoginRequired } from './api';
import { useExternalLogin } from './useExternalLogin';

type Props = { connection: ChartConnection; title: string; error: unknown; onRetry: () => void };

/** Shown instead of what could not be read from the chart; offers the sign-in if that is why. */
export function ChartFailure({ connection, title, error, onRetry }: Props) {
  const { guard, dialog } = useExternalLogin();
  if (!isLoginRequired(error)) return <ErrorState title={title} error={error} onRetry={onRetry} />;
  return (
    <ErrorState title={title} error={error}>
      <Button variant="default" onClick={() => void guard({ ...connection, needsLogin: true }, onRetry)}>
        Sign in
      </Button>
      {dialog}
    </ErrorState>
  );
}
