import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { refreshOnly } from '@/api/query';
import type { ChartConnection } from '@/api/types';
import { reportError } from '@/shared/errors';
import { isLoginRequired } from './api';
import { LoginDialog } from './LoginDialog';

type Waiting = { connection: ChartConnection; run: () => unknown };

type ExternalLogin = {
  guard: (connection: ChartConnection, run: () => unknown) => Promise<void>;
  /** As `guard`, but failures other than a missing sign-in are the caller's. Without a connection it just runs. */
  inEhr: (connection: ChartConnection | undefined, run: () => Promise<unknown>) => Promise<void>;
  dialog: ReactNode;
};

/** Runs actions in a chart, after a sign-in at the EHR if one is needed. The screen renders `dialog`. */
export function useExternalLogin(): ExternalLogin {
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
  const inEhr: ExternalLogin['inEhr'] = async (connection, run) => {
    if (connection?.needsLogin) return guard(connection, run);
    try {
      await run();
    } catch (error) {
      if (!connection || !isLoginRequired(error)) throw error;
      await guard({ ...connection, needsLogin: true }, run);
    }
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
  return { guard, inEhr, dialog };
}
