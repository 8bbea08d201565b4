import { useEffect, useRef, useState } from 'react';
import type { Attachment, Message } from '@/api/types';
import { printAttachment } from '@/domain/messaging/viewer/Viewer';
import { notify } from '@/shared/notify';
import { paths } from '@/shared/paths';
import { useShortcuts } from '@/shared/shortcuts';
import { useGo } from '@/shared/ui/AppLink';
import { undoShortcut } from '@/shared/undo';
import type { ChartPaneState } from './chart/useChartPane';
import type { MessageActions } from './MessageHeader';
import type { Sending } from './chart/useSending';
import type { useFiling, useHold } from './useFiling';
import type { useExport } from './useMessageActions';
import type { usePicked } from './usePicked';

type Options = {
  message: Message;
  attachment: Attachment | undefined;
  previous?: () => void;
  next?: () => void;
  onBack: () => void;
  exports: ReturnType<typeof useExport>;
  filing: ReturnType<typeof useFiling>;
  hold: ReturnType<typeof useHold>;
  picked: ReturnType<typeof usePicked>;
  /** Checks the message, then files it. */
  process: () => void;
  chart: ReturnType<ChartPaneState['commands']>;
  sending: Sending;
  /** Exports or prints the whole message, in the background. */
  leaveAs: (how: 'export' | 'print') => void;
  remove: () => void;
  findPatient: () => void;
  /** Selects the most likely patient. */
  takeFirst: (() => void) | undefined;
};

/** Sends to the only system without charts. */
export const SEND_KEY = 'w';

/** Runs it, or once loading is over. */
function useOnceKnown(isLoading: boolean, run: () => void) {
  const [isWaiting, wait] = useState(false);
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  // It is loaded once.
  const isDue = isWaiting && !isLoading;
  useEffect(() => {
    if (isDue) latest.current();
  }, [isDue]);
  return { isWaiting: isWaiting && isLoading, run: isLoading ? () => wait(true) : run };
}

/** The actions of the message's buttons and single keys. */
export function useMessageCommands(options: Options): MessageActions {
  const { message, attachment, exports, filing, hold, picked, chart, sending, leaveAs, remove, findPatient, takeFirst } = options;
  const go = useGo();
  const canPrint = attachment && attachment.previewAvailable !== 'Failed';
  const unlessHeld = (run: () => void) => () => {
    if (!hold.holder) return run();
    notify('warning', `${hold.holder.name} currently has this message open.`, { action: { label: 'Take over', run: hold.takeOver } });
  };
  // Where it is filed is only known with the connected EHRs.
  const process = useOnceKnown(chart.isLoading, unlessHeld(chart.file ?? options.process));
  const actions: MessageActions = {
    back: options.onBack,
    previous: options.previous,
    next: options.next,
    reply: () => go(paths.releaseReply(message.id, paths.intakeMessage(message.id))),
    forward: () => go(paths.releaseForward(message.id, paths.intakeMessage(message.id))),
    exportOriginal: exports.original,
    exportPdf: exports.pdf,
    print: canPrint ? () => (printAttachment(attachment), exports.note('Printed')) : undefined,
    exportMessage: () => leaveAs('export'),
    printMessage: () => leaveAs('print'),
    remove,
    process: process.run,
    withoutChart: chart.file ? unlessHeld(options.process) : undefined,
    isPlainOnly: chart.hasFailed,
    sends: sending.services.map((service) => ({
      id: service.integrationId,
      label: `Send to ${service.name}`,
      run: unlessHeld(() => sending.send(service)),
    })),
    isSending: sending.isSending,
    snooze: picked.snooze,
    reopen: filing.reopen,
    busy: filing.isReopening || process.isWaiting,
  };
  const isDone = message.isProcessed;
  useShortcuts([
    // With Ctrl within fields, where e is a letter. In a note it adds the note.
    ...(isDone
      ? []
      : [
          {
            keys: ['e', 'mod+Enter'],
            label: chart.file ? 'File to chart and open the next' : 'File and open the next',
            run: actions.process,
            unless: '[data-field="note"]',
          },
        ]),
    { keys: 'a', label: 'Assign', run: picked.assign },
    // Never a field of the form: the next input would change the name in it.
    { keys: 'p', label: 'Find the patient', run: findPatient },
    ...(takeFirst ? [{ keys: 'm', label: 'Select the likeliest patient', run: takeFirst }] : []),
    { keys: 't', label: 'Document type', run: picked.type },
    { keys: 'u', label: 'Mark or unmark urgent', run: picked.turnUrgent },
    ...(isDone ? [] : [{ keys: 's', label: 'Snooze', run: picked.snooze }]),
    { keys: 'd', label: 'Export', run: () => leaveAs('export') },
    // Several are in the palette.
    ...actions.sends.map(({ label, run }, _, all) => ({ keys: all.length === 1 ? SEND_KEY : [], label, run })),
    { keys: '#', label: 'Delete', run: remove },
    { keys: 'n', label: 'Write a note', run: () => document.querySelector<HTMLElement>('[data-field="note"]')?.focus() },
    undoShortcut,
    { keys: 'r', label: 'Reply', run: actions.reply },
    ...(chart.find && !isDone ? [{ keys: 'f', label: 'Find in chart', run: chart.find }] : []),
    { keys: chart.find && !isDone ? 'F' : 'f', label: 'Forward', run: actions.forward },
  ]);
  return actions;
}
