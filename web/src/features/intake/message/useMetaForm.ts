import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { api, quiet, unwrap } from '@/api/client';
import type { Attachment, AttachmentMeta, Message } from '@/api/types';
import { messageKey } from '@/domain/messaging/api';
import { attachmentErrors, documentDateOf, type Export, isStructured } from '@/domain/messaging/rules';
import { useAutosave } from '@/domain/messaging/useAutosave';
import { at } from '@/domain/messaging/viewer/api';
import { now } from '@/shared/clock';

/** The date starts as the message's own; a structured document states its date itself. */
const startOf = (attachment: Attachment, saved: AttachmentMeta, messageDate: string | null | undefined): AttachmentMeta =>
  saved.documentDate || isStructured(attachment)
    ? saved
    : { ...saved, documentDateType: 'message', documentDate: documentDateOf('message', messageDate, now()) };

/** An empty date is none. */
const tidy = (meta: AttachmentMeta): AttachmentMeta => ({ ...meta, documentDate: meta.documentDate || null });

/** What is said about the attachment in view, saved when a field is left. */
export function useMetaForm(attachment: Attachment, messageDate: string | null | undefined, settings: Export) {
  const client = useQueryClient();
  const saved = attachment.attachmentMeta ?? {};
  const [draft, setDraft] = useState<AttachmentMeta>(() => startOf(attachment, saved, messageDate));
  // What handlers of the same event have set already.
  const latest = useRef(draft);
  const [checked, setChecked] = useState(false);
  const autosave = useAutosave(async (attachmentMeta: AttachmentMeta) => {
    const fresh = await unwrap(
      api.PUT('/api/messages/{id}/attachments/{attachmentId}', { ...at(attachment), body: { attachmentMeta }, ...quiet }),
    );
    client.setQueryData(
      messageKey(attachment.messageId),
      (m: Message | undefined) => m && { ...m, attachments: m.attachments.map((a) => (a.id === fresh.id ? { ...a, ...fresh } : a)) },
    );
    void client.invalidateQueries({ queryKey: ['intake'] });
  });
  const errorsOf = (meta: AttachmentMeta) =>
    attachmentErrors({ ...attachment, attachmentMeta: meta }, { mode: 'intake', settings, today: now() });
  const missing = errorsOf(draft);
  // A wrong date shows at once; what is missing only after an attempt to go on.
  const shown = checked
    ? missing
    : { documentDescription: missing.documentDescription, documentDate: draft.documentDate ? missing.documentDate : undefined };
  const change = (part: Partial<AttachmentMeta>) => {
    latest.current = { ...latest.current, ...part };
    setDraft(latest.current);
  };
  const done = () => {
    const meta = latest.current;
    const wrong = errorsOf(meta);
    const isWrong = wrong.documentDescription || (meta.documentDate && wrong.documentDate);
    if (!isWrong) autosave.queue(tidy(meta), tidy(startOf(attachment, saved, messageDate)));
  };
  /** Before going on: also the date that was only proposed is saved. */
  const flush = () => {
    if (
      !isStructured(attachment) &&
      !saved.documentDate &&
      latest.current.documentDate &&
      Object.keys(errorsOf(latest.current)).length === 0
    )
      autosave.queue(tidy(latest.current), tidy(saved));
    return autosave.flush();
  };
  return {
    draft,
    errors: { ...shown, ...autosave.errors },
    missing,
    change,
    done,
    check: () => setChecked(true),
    flush,
    state: autosave.state,
  };
}
export type MetaForm = ReturnType<typeof useMetaForm>;
