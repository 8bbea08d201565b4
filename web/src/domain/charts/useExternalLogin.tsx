import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { refreshOnly } from '@/api/query';
import type { ChartConnection } from '@/api/types';
import { reportError } from '@/shared/errors';
import { isLoginRequired } from './api';
import { LoginDialog } from './LoginDialog';

type Waiting = { connection: ChartConnection; run: () => unknown };

/** Runs actions in a chart, after a sign-in at the EHR if one is needed. The screen renders `dialog`. */
export function useExternalLogin(): { guard: (connection: ChartConnection, run: () => unknown) => Promise<void>; dialog: ReactNode } {
  const [waiting, setWaiting] = useState<Waiting | null>(null);
  const client = useQueryClient();
  const attempt = async (asked: Waiting) => {
    try {
      await asked.run();
    } catch (error) {
      if (isLoginRequired(error)) setWaiting(asked);
      else reportError(error);
    }
  };
  const guard = async (connection: ChartConnection, run: () => unknown) => {
    const asked = { connection, run };
    if (connection.needsLogin) setWaiting(asked);
    else await attempt(asked);
  };
  const dialog = waiting && (
    <LoginDialog
      connection={waiting.connection}
      onClose={() => setWaiting(null)}
      onDone={() => {
        setWaiting(null);
        void refreshOnly(client, '/api/integrations/connected/types');
        void attempt(waiting);
      }}
    />
  );
  return { guard, dialog };
}
