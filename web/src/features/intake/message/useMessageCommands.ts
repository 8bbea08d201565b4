import type { Attachment, Message } from '@/api/types';
import { printAttachment } from '@/domain/messaging/viewer/Viewer';
import { notify } from '@/shared/notify';
import { paths } from '@/shared/paths';
import { useShortcuts } from '@/shared/shortcuts';
import { useGo } from '@/shared/ui/AppLink';
import { undoShortcut } from '@/shared/undo';
import type { MessageActions } from './MessageHeader';
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
  /** Exports or prints the whole message, in the background. */
  leaveAs: (how: 'export' | 'print') => void;
  remove: () => void;
  findPatient: () => void;
  /** Selects the most likely patient. */
  takeFirst: (() => void) | undefined;
};

/** The actions of the message's buttons and single keys. */
export function useMessageCommands(options: Options): MessageActions {
  const { message, attachment, exports, filing, hold, picked, leaveAs, remove, findPatient, takeFirst } = options;
  const go = useGo();
  const canPrint = attachment && attachment.previewAvailable !== 'Failed';
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
    process: () => {
      if (hold.holder) {
        const action = { label: 'Take over', run: hold.takeOver };
        return notify('warning', `${hold.holder.name} currently has this message open.`, { action });
      }
      options.process();
    },
    snooze: picked.snooze,
    reopen: filing.reopen,
    busy: filing.isReopening,
  };
  const isDone = message.isProcessed;
  useShortcuts([
    // With Ctrl within fields, where e is a letter. In a note it adds the note.
    ...(isDone ? [] : [{ keys: ['e', 'mod+Enter'], label: 'File and open the next', run: actions.process, unless: '[data-field="note"]' }]),
    { keys: 'a', label: 'Assign', run: picked.assign },
    // Never a field of the form: the next input would change the name in it.
    { keys: 'p', label: 'Find the patient', run: findPatient },
    ...(takeFirst ? [{ keys: 'm', label: 'Select the likeliest patient', run: takeFirst }] : []),
    { keys: 't', label: 'Document type', run: picked.type },
    { keys: 'u', label: 'Mark or unmark urgent', run: picked.turnUrgent },
    ...(isDone ? [] : [{ keys: 's', label: 'Snooze', run: picked.snooze }]),
    { keys: 'd', label: 'Export', run: () => leaveAs('export') },
    { keys: '#', label: 'Delete', run: remove },
    { keys: 'n', label: 'Write a note', run: () => document.querySelector<HTMLElement>('[data-field="note"]')?.focus() },
    undoShortcut,
    { keys: 'r', label: 'Reply', run: actions.reply },
    { keys: 'f', label: 'Forward', run: actions.forward },
  ]);
  return actions;
}
