import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Attachment, Message } from '@/api/types';
import { connectHub } from '@/shared/hubs';
import { messageKey } from '../api';
import { generatePreview, getMetadata, TIMED_OUT } from './api';

const PREVIEW = { every: 2000, limit: 15 };
/** 5 s up to 20 s. */
const TRANSFORM = { every: 5000, limit: 4 };

export type Preview = { state: 'ready' } | { state: 'waiting' } | { state: 'failed'; reason: string; again?: () => void };

const isReady = (a: Attachment) =>
  a.transformStatus !== 'Pending' &&
  (a.previewAvailable === 'Available' || (a.mimeType === 'application/pdf' && a.previewAvailable !== 'Failed'));

/**
 * Follows an attachment until it can be shown: asks for the preview when there is none, then listens to the
 * document-processing channel and asks in between. Changes flow into the message in the cache.
 */
export function usePreview(attachment: Attachment): Preview {
  const client = useQueryClient();
  const [timedOut, setTimedOut] = useState<string | null>(null);
  const [round, setRound] = useState(0);
  const { id, messageId, previewAvailable, transformStatus } = attachment;
  const ready = isReady(attachment);
  const failed = previewAvailable === 'Failed';
  const waiting = !ready && !failed;
  const gone = timedOut === `${id}:${round}`;

  useEffect(() => {
    if (!waiting || gone) return;
    const a = { id, messageId };
    const { every, limit } = transformStatus === 'Pending' ? TRANSFORM : PREVIEW;
    let stopped = false;
    let polls = 0;
    const put = (fresh: Attachment) =>
      client.setQueryData(
        messageKey(messageId),
        (m: Message | undefined) => m && { ...m, attachments: m.attachments.map((x) => (x.id === fresh.id ? { ...x, ...fresh } : x)) },
      );
    const ask = async () => {
      const fresh = await getMetadata(a).catch(() => null);
      if (!stopped && fresh) put(fresh);
    };
    const timer = setInterval(() => {
      if (++polls > limit) {
        clearInterval(timer);
        setTimedOut(`${id}:${round}`);
      } else void ask();
    }, every);
    const hub = connectHub('documentprocessing', {
      onOpen: () => hub.send({ type: 'waitFor', attachmentId: id }),
      onFrame: (frame) => frame.type === 'completed' && frame.attachmentId === id && void ask(),
    });
    if (previewAvailable === 'NotRequested' && transformStatus !== 'Pending') {
      void generatePreview(a).then(
        (fresh) => !stopped && put({ ...attachment, ...fresh }),
        () => !stopped && setTimedOut(`${id}:${round}`),
      );
    }
    return () => {
      stopped = true;
      clearInterval(timer);
      hub.close();
    };
    // The attachment's other fields do not start the wait anew, nor does the request's own change to Processing.
    // eslint-disable-next-line react/exhaustive-deps
  }, [waiting, gone, id, messageId, round, client]);

  if (ready) return { state: 'ready' };
  const again = () => setRound((r) => r + 1);
  if (failed) return { state: 'failed', reason: attachment.previewError || 'This file could not be shown.' };
  return gone ? { state: 'failed', reason: TIMED_OUT, again } : { state: 'waiting' };
}
