import { useEffect, useRef, useState } from 'react';
import { api, quiet, unwrap } from '@/api/client';
import type { Attachment, ExtractedMark, Patient } from '@/api/types';
import { at } from '@/domain/messaging/viewer/api';

const EVERY_MS = 1000;
const LIMIT = 10;
/** PDFs, faxes as they come, and photographs of paper. */
const READ = ['application/pdf', 'image/tiff', 'image/jpeg', 'image/png'];

/**
 * Reads the patient from a document: asks once per file, then looks every second, up to ten times, while the answer is
 * Processing. Failures are silent: a person can always type.
 */
export function useExtraction(
  attachment: Attachment | undefined,
  enabled: boolean,
  onFound: (patient: Patient, marks: ExtractedMark[]) => void,
) {
  const [reading, setReading] = useState(false);
  const latest = useRef(onFound);
  useEffect(() => {
    latest.current = onFound;
  });
  const id = enabled && attachment && READ.includes(attachment.mimeType) ? attachment.id : null;
  const messageId = attachment?.messageId;
  useEffect(() => {
    if (!id || !messageId) return;
    let stopped = false;
    const params = at({ id, messageId });
    const run = async () => {
      setReading(true);
      await unwrap(api.PUT('/api/messages/{id}/attachments/{attachmentId}/patient/extract', { ...params, ...quiet }));
      for (let i = 0; i < LIMIT && !stopped; i++) {
        await new Promise((done) => setTimeout(done, EVERY_MS));
        if (stopped) return;
        const answer = await unwrap(api.GET('/api/messages/{id}/attachments/{attachmentId}/patient/extract', { ...params, ...quiet }));
        if (answer.status === 'Processing') continue;
        if (answer.status === 'Completed' && answer.patient && !stopped) latest.current(answer.patient, answer.marks);
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
