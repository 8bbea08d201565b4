import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Attachment, Message, MessageInput } from '@/api/types';
import { messageKey, messageQuery } from '@/features/messaging/api';
import { saveDraft } from '../api';

const none: Attachment[] = [];

/** The draft on the server, once there is one. Its attachments live there, the fields live in the form. */
export function useDraftMessage(initialId: string | null) {
  const client = useQueryClient();
  const [id, setId] = useState(initialId);
  const creating = useRef<Promise<Message> | null>(null);
  const { data } = useQuery({
    ...messageQuery(id ?? ''),
    enabled: id !== null,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });

  const save = async (body: MessageInput): Promise<Message> => {
    // Two acts that both need the draft must not create two.
    const created = await creating.current?.catch(() => null);
    const before = created?.id ?? id;
    const saving = saveDraft(before, body);
    if (!before) creating.current = saving;
    try {
      const saved = await saving;
      setId(saved.id);
      return saved;
    } finally {
      creating.current = null;
    }
  };
  const changeAttachments = (draftId: string, change: (attachments: Attachment[]) => Attachment[]) =>
    client.setQueryData(messageKey(draftId), (m: Message | undefined) => m && { ...m, attachments: change(m.attachments) });
  return { id, attachments: data?.attachments ?? none, save, changeAttachments };
}
