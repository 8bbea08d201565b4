import type { Attachment, Message, ReleaseType } from '@/api/types';
import { type ComposeValues, emptyValues } from '@/features/release/compose/model';

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
  isPreviewAvailable: true,
  isRestorable: false,
  isStructured: false,
  createdDate: '2026-11-20T10:00:00Z',
  attachmentMeta: { documentDate: '2026-11-19', confidentiality: 'Normal' },
  ...over,
});

export const releaseType = (over: Partial<ReleaseType> = {}): ReleaseType => ({
  id: 't1',
  name: 'Referral',
  sendType: 'Original',
  trackFaxResponses: false,
  ...over,
});

export const message = (over: Partial<Message> = {}): Message => ({
  id: 'm1',
  direction: 'Release',
  subject: '',
  fromAddress: '',
  fromName: '',
  toAddress: '',
  toAddresses: [],
  ccAddresses: [],
  bccAddresses: [],
  body: '',
  isDraft: true,
  namedPatients: [],
  patientVersion: 0,
  isRead: true,
  isUrgent: false,
  isProcessed: false,
  createdDate: '',
  messageDate: '',
  systemReceivedDate: '',
  attachments: [],
  attachments2PDF: false,
  attachments2CDA: false,
  properties: { ...FAX, faxPageCount: null },
  isReadyForDeliverySummary: false,
  status: 'Saved',
  sourceType: 'DirectMessage',
  version: 1,
  notes: [],
  deliveries: [],
  ...over,
});
