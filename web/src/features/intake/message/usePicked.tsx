import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useProfile } from '@/app/session';
import type { Attachment, Confidentiality, Message } from '@/api/types';
import { assignMessage, refreshIntake, refreshMessage, useMessageChanged } from '@/domain/messaging/api';
import { bulkMessages, useBulk } from '@/domain/messaging/bulk';
import { isStructured } from '@/domain/messaging/rules';
import { formatDateTime } from '@/shared/format';
import { notify } from '@/shared/notify';
import { paths } from '@/shared/paths';
import { useGo } from '@/shared/ui/AppLink';
import { offerUndo } from '@/shared/undo';
import { TypeDialog, usePicks } from '../picks';
import { markDone, markOpen } from '../trail';
import type { MetaForms } from './useMetaForms';

/** Runs after a type is chosen, or none. */
type Typing = { onTyped?: () => void; onWithout?: () => void };
type Charge = { userId: string | null; urgent: boolean };

/** Reviewer, urgency, snoozing and document type of the open message, by single keys. */
export function usePicked(message: Message, attachment: Attachment | undefined, metas: MetaForms, onSnoozed: () => void) {
  const { id } = message;
  const { userId } = useProfile();
  const client = useQueryClient();
  const changed = useMessageChanged();
  const go = useGo();
  const bulk = useBulk();
  const before: Charge = { userId: message.assignedTo?.id ?? null, urgent: Boolean(message.isUrgent) };
  const setCharge = (to: Charge) => assignMessage(id, to.userId, to.urgent).then(changed);
  const charge = useMutation({ mutationFn: setCharge });
  const assign = (to: Charge, words: string) => charge.mutate(to, { onSuccess: () => offerUndo(words, () => setCharge(before)) });

  const wake = async () => {
    const { refused } = await bulkMessages({ act: 'snooze', ids: [id], until: null }).finally(() => {
      void refreshMessage(client, id);
      void refreshIntake(client);
    });
    if (refused[0]) throw new Error(refused[0].reasons.join(' '));
    markOpen(id);
    go(paths.intakeMessage(id), { replace: true });
  };
  const snooze = (until: string | null) =>
    bulk.mutate(
      { act: 'snooze', ids: [id], until },
      {
        onSuccess: ({ refused }) => {
          void refreshMessage(client, id);
          const [refusal] = refused;
          if (refusal) return notify('error', refusal.reasons.join(' '));
          if (!until) return notify('success', 'The message is back.');
          markDone(id);
          offerUndo(`Snoozed until ${formatDateTime(until)}.`, wake);
          onSnoozed();
        },
      },
    );

  // The current file, and those without a type. Structured documents state their own.
  const untyped = message.attachments.filter(
    (a) => !isStructured(a) && (a.id === attachment?.id || !metas.of(a).draft.documentType?.trim()),
  );
  const picks = usePicks<Message>(
    (picked) => {
      if (picked.kind === 'snooze') snooze(picked.until);
      else if (picked.kind === 'assign')
        assign({ userId: picked.userId, urgent: before.urgent && picked.userId !== null }, picked.userId ? 'Assigned.' : 'Unassigned.');
    },
    () => '1 message',
  );
  const [typing, askType] = useState<Typing | null>(null);
  const sayType = (documentType: string, confidentiality: Confidentiality | undefined) => {
    for (const file of untyped) {
      const form = metas.of(file);
      form.change({ documentType, confidentiality: confidentiality ?? form.draft.confidentiality });
      form.done();
    }
  };
  const typeDialog = typing && (
    <TypeDialog
      count="1 message"
      files={message.attachments.length > 1 ? untyped.map((a) => a.fileName) : undefined}
      confidentiality={(attachment && metas.of(attachment).draft.confidentiality) || 'Normal'}
      onWithout={typing.onWithout && (() => (askType(null), typing.onWithout?.()))}
      onClose={() => askType(null)}
      onPick={(picked) => {
        askType(null);
        if (picked.kind !== 'type') return;
        sayType(picked.documentType, picked.confidentiality);
        typing.onTyped?.();
      }}
    />
  );
  return {
    assign: () => picks.assign(message),
    snooze: () => picks.snooze(message),
    askType,
    type: () => {
      if (untyped.length > 0) askType({});
      else if (attachment) notify('info', 'The type of this document cannot be changed.');
    },
    // An urgent message needs a reviewer.
    turnUrgent: () =>
      assign(
        { userId: before.userId ?? (before.urgent ? null : userId), urgent: !before.urgent },
        before.urgent ? 'No longer urgent.' : 'Marked as urgent.',
      ),
    dialog: (
      <>
        {picks.dialog}
        {typeDialog}
      </>
    ),
  };
}
