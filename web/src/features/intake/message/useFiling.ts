import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { ApiError, api, unwrap } from '@/api/client';
import type { Message } from '@/api/types';
import { refreshFiling } from '@/domain/charts/filings';
import { messageKey, processMessage, useMessageChanged } from '@/domain/messaging/api';
import { nameOf } from '@/domain/messaging/patients/words';
import { reportError, wordsOf } from '@/shared/errors';
import { notify } from '@/shared/notify';
import { paths } from '@/shared/paths';
import { useGo } from '@/shared/ui/AppLink';
import { offerUndo, withdrawUndo } from '@/shared/undo';
import { markDone, markOpen } from '../trail';
import { type ChartTarget, fileToChart, takeBackFiling } from './chart/api';
import type { ProcessType } from './useMessageActions';

export type Filing = { processType: ProcessType | null; acceptsGaps: boolean; acceptsPatient?: boolean; takesOver?: boolean };

/** Filing, in one way or another. */
type Act = {
  send: () => Promise<void>;
  takeBack: () => Promise<void>;
  /** Where it went. */
  words: (patientName: string) => string;
  /** The same, even if a colleague works on the message. */
  takeOver: () => void;
};

/** Whether the server refused because a colleague works on the message. */
const isHeld = (error: unknown) => error instanceof ApiError && Boolean(error.modelState?.takesOver);

/**
 * Files a message: it is done on the screen at once and the next one comes into view. It can be undone for a while, and is
 * reverted if the server refuses.
 */
export function useFiling(message: Message, onFiled: () => void) {
  const { id } = message;
  const changed = useMessageChanged();
  const client = useQueryClient();
  const go = useGo();
  const backTo = () => go(paths.intakeMessage(id), { replace: window.location.pathname.startsWith('/intake/') });
  const show = (isProcessed: boolean, status: string) =>
    client.setQueryData(messageKey(id), (m: Message | undefined) => m && { ...m, isProcessed, status });

  const perform = (act: Act) => {
    markDone(id);
    show(true, 'Processed');
    const filed = act.send();
    const takeBack = async () => {
      // A refusal restores the message.
      const isFiled = await filed.then(
        () => true,
        () => false,
      );
      if (!isFiled) return 'told';
      await act.takeBack();
      markOpen(id);
      backTo();
    };
    // Input is saved by now.
    const name = nameOf(client.getQueryData<Message>(messageKey(id))?.patient ?? {});
    offerUndo(['The message has been successfully processed.', name && act.words(name)].filter(Boolean).join(' '), takeBack);
    onFiled();
    filed.catch((error: unknown) => {
      withdrawUndo();
      markOpen(id);
      show(false, message.status);
      backTo();
      if (!isHeld(error)) return reportError(error);
      notify('warning', wordsOf(error), { action: { label: 'Take over and file', run: act.takeOver } });
    });
  };
  const file = (how: Filing) =>
    perform({
      send: () => processMessage(id, true, how).then(changed),
      takeBack: () => processMessage(id, false).then(changed),
      words: (name) => `Filed under ${name}.`,
      takeOver: () => file({ ...how, takesOver: true }),
    });
  /** Files documents into the chart, and processes the message. */
  const intoChart = (target: ChartTarget, attachmentIds: string[], how: Omit<Filing, 'processType'>) => {
    let filingIds: string[] = [];
    const tell = () => void refreshFiling(client, id);
    perform({
      send: async () => {
        filingIds = await fileToChart(client, id, { ...how, ...target, attachmentIds });
        tell();
      },
      takeBack: async () => {
        try {
          for (const filingId of filingIds) {
            await takeBackFiling(client, id, filingId);
            // With the first one, the message is open again.
            markOpen(id);
          }
        } finally {
          tell();
        }
      },
      words: (name) => `On its way to the chart of ${name}.`,
      takeOver: () => intoChart(target, attachmentIds, { ...how, takesOver: true }),
    });
  };
  const reopen = useMutation({
    mutationFn: () => processMessage(id, false),
    onSuccess: (fresh) => {
      changed(fresh);
      markOpen(id);
      notify('success', 'The message has been successfully reopened.');
    },
  });
  return { file, intoChart, reopen: () => reopen.mutate(), isReopening: reopen.isPending };
}

/** The colleague who works on the message while they have it open, and a function to take it over. */
export function useHold(message: Message, present: { userId: string }[]) {
  const changed = useMessageChanged();
  const takeOver = useMutation({
    mutationFn: () => unwrap(api.PUT('/api/messages/{id}/takeover', { params: { path: { id: message.id } } })),
    onSuccess: (fresh) => {
      changed(fresh);
      notify('success', 'You have taken over this message.');
    },
  });
  const holder = message.heldBy && present.some((p) => p.userId === message.heldBy?.id) ? message.heldBy : null;
  const heldBy = message.heldBy?.id;
  const before = useRef(heldBy);
  useEffect(() => {
    if (holder && heldBy !== before.current) notify('info', `${holder.name} has taken over this message.`);
    before.current = heldBy;
  }, [heldBy, holder]);
  return { holder, takeOver: () => takeOver.mutate() };
}
