import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { ApiError } from '@/api/client';
import type { Attachment, Message, MessageInput } from '@/api/types';
import { messageKey, messageQuery } from '@/domain/messaging/api';
import { useConflict } from '@/shared/form/conflict';
import { discardDraft, refetchRelease, saveDraft } from '../api';

const none: Attachment[] = [];
type VersionedDraft = { version: number | undefined; message?: Message };

export type DraftMessage = ReturnType<typeof useDraftMessage>;

/** The draft on the server, once there is one. Its attachments live there, the fields live in the form. */
export function useDraftMessage(initialId: string | null, initialVersion: number | undefined, onLoadTheirs: () => void) {
  const client = useQueryClient();
  const [id, setId] = useState(initialId);
  /** The latest saved state, for a save that starts before the next render. */
  const known = useRef({ id: initialId, version: initialVersion });
  const saving = useRef<Promise<unknown>>(Promise.resolve());
  const { data } = useQuery({
    ...messageQuery(id ?? ''),
    enabled: id !== null,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  const attachments = data?.attachments ?? none;
  const conflict = useConflict<VersionedDraft>({
    saved: { version: initialVersion },
    what: 'draft',
    button: 'Save',
    onLoad: onLoadTheirs,
    onKeep: ({ version, message }) => {
      if (message) client.setQueryData(messageKey(message.id), message);
      known.current.version = version;
    },
  });

  /** Serializes calls, so that two actions neither create two drafts nor conflict with each other. */
  const queue = <T>(run: () => Promise<T>): Promise<T> => {
    const turn = saving.current.then(run);
    saving.current = turn.catch(() => undefined);
    return turn;
  };
  /** `body` is asked when its turn comes: the files may have changed until then. */
  const save = (body: () => MessageInput, background?: boolean): Promise<Message> =>
    queue(async () => {
      const saved = await saveDraft(known.current.id, { ...body(), draftVersion: known.current.version }, background);
      known.current = { id: saved.id, version: saved.draftVersion };
      setId(saved.id);
      conflict.base.setVersion(saved.draftVersion);
      return saved;
    });
  /** Deletes the draft, after a pending save, which may be the one that creates it. Answers its id, if there was one. */
  const discard = async () => {
    await saving.current;
    const gone = known.current.id;
    if (gone !== null) await discardDraft(gone);
    return gone;
  };
  /** Whether an action failed because somebody else has changed the draft, or removed a file of it. */
  const noteIfStale = async (error: unknown) => {
    const { id, version } = known.current;
    if (!id || !(error instanceof ApiError) || (error.status !== 409 && error.status !== 404)) return false;
    const now = await refetchRelease(id).catch(() => null);
    const hasAll = attachments.every((a) => now?.attachments.some((b) => a.id === b.id));
    if (!now?.isDraft || (now.draftVersion === version && hasAll)) return false;
    conflict.report({ version: now.draftVersion, message: now });
    return true;
  };
  /** For an answer within the queue. */
  const putAttachments = (draftId: string, change: (attachments: Attachment[]) => Attachment[]) => {
    client.setQueryData(messageKey(draftId), (m: Message | undefined) => m && { ...m, attachments: change(m.attachments) });
  };
  const changeAttachments: typeof putAttachments = (draftId, change) => {
    const apply = () => putAttachments(draftId, change);
    apply();
    // A pending save may answer with outdated files.
    void saving.current.then(apply);
  };
  /** Ahead of the rendered ones. */
  const latestAttachments = () => client.getQueryData<Message>(messageKey(known.current.id ?? ''))?.attachments ?? none;
  return {
    id,
    version: conflict.base.version,
    attachments,
    latestAttachments,
    queue,
    /** All that was queued is done. */
    settled: () => saving.current,
    save,
    discard,
    changeAttachments,
    putAttachments,
    isStale: conflict.isStale,
    noteIfStale,
    banner: conflict.banner,
  };
}
