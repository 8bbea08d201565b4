import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Attachment, Message } from '@/api/types';
import { messageKey } from '../api';
import { generatePreview, getMetadata, TIMED_OUT, watchFile } from './api';

const PREVIEW = { every: 2000, limit: 15 };
/** 5 s up to 20 s. */
const TRANSFORM = { every: 5000, limit: 4 };

const BEING_CHECKED = 'The file is still being checked for malware. It can be opened once that is done.';

export type Preview = { state: 'ready' } | { state: 'waiting' } | { state: 'failed'; reason: string; again?: () => void };

const isReady = (a: Attachment) =>
  a.transformStatus !== 'Pending' &&
  a.scanStatus !== 'Waiting' &&
  (a.previewAvailable === 'Available' || (a.mimeType === 'application/pdf' && a.previewAvailable !== 'Failed'));

/**
 * Follows an attachment until it can be shown: requests a missing preview, then listens to the document-processing channel and
 * polls in between. Changes flow into the message in the cache.
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
    // When the preview fails, the effect ends, and with it the watch.
    const stop = watchFile(a, every, {
      onTick: () => (++polls > limit ? setTimedOut(`${id}:${round}`) : void ask()),
      onMade: () => void ask(),
    });
    if (previewAvailable === 'NotRequested' && transformStatus !== 'Pending') {
      void generatePreview(a).then(
        (fresh) => !stopped && put({ ...attachment, ...fresh }),
        () => !stopped && setTimedOut(`${id}:${round}`),
      );
    }
    return () => {
      stopped = true;
      stop();
    };
    // The attachment's other fields do not restart the wait, nor does the request's own change to Processing.
    // eslint-disable-next-line react/exhaustive-deps
  }, [waiting, gone, id, messageId, round, client]);

  if (ready) return { state: 'ready' };
  const again = () => setRound((r) => r + 1);
  if (failed) return { state: 'failed', reason: attachment.previewError || 'This file could not be shown.' };
  const reason = attachment.scanStatus === 'Waiting' ? BEING_CHECKED : TIMED_OUT;
  return gone ? { state: 'failed', reason, again } : { state: 'waiting' };
}
