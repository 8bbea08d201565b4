import { useEffect, useRef, useState } from 'react';
import { api, quiet, unwrap } from '@/api/client';
import type { Attachment, ExtractedMark, Patient } from '@/api/types';
import { at } from '@/domain/messaging/viewer/api';
import { tellsOf, useHubEvents } from '@/shared/hubs';

/** Poll intervals in the first ten seconds and later, when hub events arrive. */
const EVERY_MS = 1000;
const LATER_MS = 10_000;
const SOON = 10;
/** PDFs, faxes as they come, and photographs of paper. */
const PAGES = ['application/pdf', 'image/tiff', 'image/jpeg', 'image/png'];

/** Whether a file names its patient: in structured fields, which are always read, or on its pages, if these are read. */
const isRead = ({ isStructured, mimeType }: Attachment, readsPages: boolean) => isStructured || (readsPages && PAGES.includes(mimeType));

/**
 * Reads the patient from a document: requests it once per file, then polls while the answer is Processing, every second at first,
 * and at once on hub events of the message. Failures are silent: a person can always type.
 */
export function useExtraction(
  attachment: Attachment | undefined,
  enabled: boolean,
  readsPages: boolean,
  onFound: (patient: Patient, marks: ExtractedMark[]) => void,
) {
  const messageId = attachment?.messageId;
  const [reading, setReading] = useState(false);
  const latest = useRef(onFound);
  useEffect(() => {
    latest.current = onFound;
  });
  const look = useRef(() => {});
  useHubEvents((frame) => {
    if (messageId && tellsOf(frame, 'intake', messageId)) look.current();
  });
  const id = enabled && attachment && isRead(attachment, readsPages) ? attachment.id : null;
  useEffect(() => {
    if (!id || !messageId) return;
    let stopped = false;
    const params = at({ id, messageId });
    const run = async () => {
      setReading(true);
      await unwrap(api.PUT('/api/messages/{id}/attachments/{attachmentId}/patient/extract', { ...params, ...quiet }));
      for (let i = 0; !stopped; i++) {
        await new Promise<void>((done) => {
          look.current = done;
          setTimeout(done, i < SOON ? EVERY_MS : LATER_MS);
        });
        if (stopped) return;
        const answer = await unwrap(api.GET('/api/messages/{id}/attachments/{attachmentId}/patient/extract', { ...params, ...quiet }));
        if (answer.status === 'Processing') continue;
        if (answer.patient && !stopped) latest.current(answer.patient, answer.marks);
        return;
      }
    };
    run().then(
      () => !stopped && setReading(false),
      () => !stopped && setReading(false),
    );
    return () => {
      stopped = true;
      setReading(false);
    };
  }, [id, messageId]);
  return reading;
}
