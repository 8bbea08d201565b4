import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Attachment } from '@/api/types';
import { updateAttachment } from '../api';
import type { PatientValues } from './model';
import type { DraftMessage } from './useDraftMessage';

const linkOf = ({ integrationMeta: meta }: PatientValues) => [meta?.integrationId, meta?.patientId, meta?.visitId].join('|');
const ordersOf = ({ attachmentMeta }: Attachment) => attachmentMeta?.integrationMeta?.orderIds ?? [];
const withOrders = (a: Attachment, orderIds: string[]): Attachment => ({
  ...a,
  attachmentMeta: { ...a.attachmentMeta, integrationMeta: { ...a.attachmentMeta?.integrationMeta, orderIds } },
});

/**
 * The orders of documents belong to a visit of a patient: they leave with either, and come back with both. Answers a function
 * that is told of the next patient. The documents change at once, so that a save or send never has the orders of another visit,
 * whether the own call is under way or has failed.
 */
export function useDocumentOrders(patient: PatientValues, draft: DraftMessage) {
  const latest = useRef(patient);
  useEffect(() => {
    latest.current = patient;
  });
  /** The orders of each document, by the visit that was left. */
  const left = useRef(new Map<string, Map<string, string[]>>());
  const { mutate } = useMutation({
    mutationFn: (ids: string[]) =>
      // After a pending save, and before the next one.
      draft.queue(async () => {
        for (const id of ids) {
          const a = draft.latestAttachments().find((x) => x.id === id);
          if (!a?.attachmentMeta) continue;
          const changed = await updateAttachment(a, a.attachmentMeta);
          draft.putAttachments(a.messageId, (list) => list.map((x) => (x.id === id ? { ...x, ...changed } : x)));
        }
      }),
  });
  return (next: PatientValues) => {
    const [was, is] = [linkOf(latest.current), linkOf(next)];
    latest.current = next;
    if (was === is) return;
    const attachments = draft.latestAttachments();
    const had = attachments.filter((a) => ordersOf(a).length > 0).map((a): [string, string[]] => [a.id, ordersOf(a)]);
    left.current.set(was, new Map(had));
    const orders = new Map<string, string[]>([...had.map(([id]): [string, string[]] => [id, []]), ...(left.current.get(is) ?? [])]);
    const messageId = attachments[0]?.messageId;
    if (orders.size === 0 || !messageId) return;
    draft.changeAttachments(messageId, (list) =>
      list.map((x) => {
        const orderIds = orders.get(x.id);
        return orderIds ? withOrders(x, orderIds) : x;
      }),
    );
    mutate([...orders.keys()]);
  };
}
