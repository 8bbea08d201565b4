import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ApiError, api, quiet, unwrap } from '@/api/client';
import type { Attachment, AttachmentMeta, Message } from '@/api/types';
import { fetchMessage, messageKey, refreshIntake, useMessageChanged } from '@/domain/messaging/api';
import { beginEdit, differs, type Edited, savable, settle, takeIn, takeSaved } from '@/domain/messaging/merge';
import { attachmentErrors, documentDateOf, type Export, isStructured, META_LABELS, type MetaField } from '@/domain/messaging/rules';
import { useAutosave } from '@/domain/messaging/useAutosave';
import { at } from '@/domain/messaging/viewer/api';
import { now } from '@/shared/clock';
import { notify } from '@/shared/notify';

type Edits = Readonly<Record<string, Edited<AttachmentMeta>>>;
type Waiting = { attachment: Attachment; meta: AttachmentMeta };

/** Ignores the version, and treats an empty date as none. */
const metaOf = ({ attachmentMeta }: Attachment): AttachmentMeta => ({ ...attachmentMeta, version: undefined });
const versionOf = ({ attachmentMeta }: Attachment) => attachmentMeta?.version ?? 0;
const tidy = (meta: AttachmentMeta): AttachmentMeta => ({ ...meta, documentDate: meta.documentDate || null });
const beginOf = (attachment: Attachment) => beginEdit(metaOf(attachment), versionOf(attachment));

/** Choices for the chart belong together: those of somebody else win as a whole. */
function ofChart(edited: Edited<AttachmentMeta>): Edited<AttachmentMeta> {
  if (!edited.conflicts.includes('integrationMeta')) return edited;
  notify('warning', 'Somebody else has chosen for the chart meanwhile. Please check it.');
  return settle(edited, 'integrationMeta', 'theirs');
}

/** Metadata forms of the files of a message, saved automatically, also after another file was selected. */
export function useMetaForms(message: Message, settings: Export) {
  const client = useQueryClient();
  const [edits, setEdits] = useState<Edits>({});
  // Includes changes by handlers of the same event.
  const latest = useRef(edits);
  const files = useRef(message.attachments);
  const [checked, setChecked] = useState<readonly string[]>([]);
  const changed = useMessageChanged();
  const messageDate = message.messageDate ?? message.createdDate;
  const set = (id: string, next: Edited<AttachmentMeta>) => {
    latest.current = { ...latest.current, [id]: next };
    setEdits(latest.current);
  };
  const edit = (attachment: Attachment) => latest.current[attachment.id] ?? beginOf(attachment);

  /** Proposes the date of the message; a structured document has its own. */
  const proposed = (attachment: Attachment, meta: AttachmentMeta): AttachmentMeta =>
    meta.documentDate || meta.documentDateType === 'selected' || isStructured(attachment)
      ? meta
      : { ...meta, documentDateType: 'message', documentDate: documentDateOf('message', messageDate, now()) };
  const errorsOf = (attachment: Attachment, meta: AttachmentMeta) =>
    attachmentErrors({ ...attachment, attachmentMeta: meta }, { mode: 'intake', settings, today: now() });
  const isWrong = (attachment: Attachment, meta: AttachmentMeta) => {
    const wrong = errorsOf(attachment, meta);
    return Boolean(wrong.documentDescription || (meta.documentDate && wrong.documentDate));
  };
  const isChanged = (attachment: Attachment) => {
    const edited = edit(attachment);
    return differs(savable(edited), edited.base);
  };
  const toSave = (attachment: Attachment) => tidy(proposed(attachment, savable(edit(attachment))));

  const autosave = useAutosave<Waiting>({
    pending: () => {
      const attachment = files.current.find((a) => isChanged(a) && !isWrong(a, toSave(a)));
      return attachment ? { attachment, meta: toSave(attachment) } : null;
    },
    save: async ({ attachment, meta }) => {
      const { version } = edit(attachment);
      try {
        const fresh = await unwrap(
          api.PUT('/api/messages/{id}/attachments/{attachmentId}', {
            ...at(attachment),
            body: { attachmentMeta: meta, version },
            ...quiet,
          }),
        );
        const now = fresh.attachmentMeta ?? {};
        const edited = edit(attachment);
        // The proposed date was saved with the rest: without it the draft would differ, and be saved again and again.
        const draft = proposed(attachment, edited.draft);
        set(attachment.id, takeSaved({ ...edited, draft }, meta, { ...now, version: undefined }, now.version ?? 0));
        client.setQueryData(
          messageKey(message.id),
          (m: Message | undefined) => m && { ...m, attachments: m.attachments.map((a) => (a.id === fresh.id ? { ...a, ...fresh } : a)) },
        );
        void refreshIntake(client);
      } catch (error) {
        if (!(error instanceof ApiError && error.isOutdated)) throw error;
        const fresh = await fetchMessage(message.id);
        const theirs = fresh.attachments.find((a) => a.id === attachment.id);
        if (theirs && versionOf(theirs) === version) throw error;
        absorb(fresh.attachments);
        changed(fresh);
      }
    },
  });
  /** Merges what somebody else saved: fields unchanged here follow. */
  const absorb = (fresh: Attachment[]) => {
    files.current = fresh;
    for (const attachment of fresh) {
      const known = latest.current[attachment.id];
      if (known && versionOf(attachment) > known.version)
        set(attachment.id, ofChart(takeIn(known, metaOf(attachment), versionOf(attachment))));
    }
  };
  const takeFresh = useRef(absorb);
  useEffect(() => {
    takeFresh.current = absorb;
  });
  useEffect(() => takeFresh.current(message.attachments), [message.attachments]);

  /** Saves everything before continuing, including a proposed date. */
  const flush = (attachment: Attachment | undefined) => {
    const first = attachment && edit(attachment);
    if (attachment && first && !isStructured(attachment) && !first.draft.documentDate) {
      const meta = proposed(attachment, first.draft);
      if (Object.keys(errorsOf(attachment, meta)).length === 0) set(attachment.id, { ...first, draft: meta });
    }
    return autosave.flush();
  };

  const of = (attachment: Attachment) => {
    const edited = edits[attachment.id] ?? beginOf(attachment);
    const draft = proposed(attachment, edited.draft);
    const missing = errorsOf(attachment, draft);
    // A wrong date is shown at once; missing values only after an attempt to continue.
    const shown = checked.includes(attachment.id)
      ? missing
      : { documentDescription: missing.documentDescription, documentDate: draft.documentDate ? missing.documentDate : undefined };
    const update = (next: Edited<AttachmentMeta>) => set(attachment.id, next);
    return {
      draft,
      errors: { ...shown, ...autosave.errors },
      missing,
      conflicts: (Object.keys(META_LABELS) as MetaField[])
        .filter((f) => edited.conflicts.includes(f))
        .map((field) => ({ field, mine: draft[field], theirs: edited.base[field] })),
      choose: (field: MetaField, whose: 'mine' | 'theirs') => {
        update(settle(edit(attachment), field, whose));
        autosave.now();
      },
      change: (part: Partial<AttachmentMeta> | ((draft: AttachmentMeta) => Partial<AttachmentMeta>)) => {
        const now = edit(attachment);
        update({ ...now, draft: { ...now.draft, ...(typeof part === 'function' ? part(now.draft) : part) } });
        autosave.later();
      },
      done: autosave.now,
      check: () => setChecked((ids) => [...ids, attachment.id]),
      flush: () => flush(attachment),
      state: autosave.state,
    };
  };
  return {
    of,
    flush,
    isUnsaved: () => files.current.some((a) => isChanged(a) || edit(a).conflicts.length > 0),
    state: autosave.state,
  };
}
export type MetaForms = ReturnType<typeof useMetaForms>;
export type MetaForm = ReturnType<MetaForms['of']>;
