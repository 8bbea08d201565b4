import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { reportError } from '@/shared/errors';
import { notify } from '@/shared/notify';
import { offerUndo } from '@/shared/undo';
import { refreshPatients, undoEvent } from './api';

/** Makes decisions about patients one at a time, each with a way back. */
export function useDecisions() {
  const client = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const refresh = () => refreshPatients(client);
  const undo = (eventId: string) =>
    undoEvent(eventId).then(
      () => (notify('success', 'Undone.'), refresh()),
      (error: unknown) => reportError(error),
    );
  /** Answers whether it was done. */
  const decide = async (act: () => Promise<string>, words: string) => {
    if (isBusy) return false;
    setBusy(true);
    try {
      const eventId = await act();
      offerUndo(words, async () => {
        await undoEvent(eventId);
        await refresh();
      });
      await refresh();
      return true;
    } catch (error) {
      reportError(error);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { decide, undo, isBusy };
}
