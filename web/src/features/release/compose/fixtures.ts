import type { Attachment } from '@/api/types';
import { type ComposeValues, emptyValues } from './model';

/** Data for tests. */
export const FAX = { includeCoverPage: true, includeMessageBody: true, includeAttachmentDescriptions: false };

export const complete = (over: Partial<ComposeValues> = {}): ComposeValues => {
  const start = emptyValues(FAX);
  return {
    ...start,
    releaseTypeId: 't1',
    from: 'front@larkfield.direct.example',
    to: ['intake@summit.direct.example'],
    subject: 'Referral',
    patient: { ...start.patient, firstName: 'Bridget', lastName: 'Halloran', birthDate: '1979-07-02', gender: 'F' },
    ...over,
  };
};

export const attachment = (over: Partial<Attachment> = {}): Attachment => ({
  id: 'a1',
  messageId: 'm1',
  fileName: 'Visit note.pdf',
  mimeType: 'application/pdf',
  sizeInBytes: 1024,
  previewAvailable: 'Available',
  attachmentMeta: { documentDate: '2026-11-19', confidentiality: 'Normal' },
  ...over,
});
