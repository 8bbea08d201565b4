import type { Attachment, Conversion, Message, MessageInput, Patient, ReleaseType } from '@/api/types';
import { PATIENT_FIELDS, type PatientField } from '@/domain/messaging/rules';
import { splitAddresses } from '@/shared/format';
import { isFaxNumber, stripFax } from '@/shared/rules/fields';
import type { SendAction } from '../api';

/** A reply behaves like a forward, a draft like a new release. */
export type Mode = 'new' | 'draft' | 'forward' | 'reply';

export const TITLES: Record<Mode, string> = { new: 'New release', draft: 'Draft', forward: 'Forward', reply: 'Reply' };

/** Name of a release in questions. */
export const nameOf = (values: ComposeValues, mode: Mode) => values.subject.trim() || TITLES[mode];

/** The kind of a release. */
export const actionOf = (mode: Mode): SendAction => (mode === 'forward' || mode === 'reply' ? mode : 'send');

/** Preference with the last used From address. */
export const LAST_FROM = 'releaseFrom';
/** The same of the release type. */
export const LAST_TYPE = 'releaseType';

/** The fields behind the fold of the panel. */
export const PATIENT_MORE_FIELDS = [
  'middleName',
  'streetAddress1',
  'streetAddress2',
  'city',
  'state',
  'postalCode',
  'visitDate',
  'visitId',
] as const;
/** Every field as text; '' is none. The patient's identifiers are kept. */
export type PatientValues = Record<PatientField, string> & {
  patientIds: { root: string; id: string }[];
  /** The id in the patient index, if one was chosen there. */
  knownPatientId: string | null;
  /** Where the patient is in an EHR, if looked up there. */
  integrationMeta: NonNullable<Patient['integrationMeta']> | null;
};

export type FaxOptions = { includeCoverPage: boolean; includeMessageBody: boolean; includeAttachmentDescriptions: boolean };

/** Formats for sending files, with their labels. */
export const CONVERSIONS: Record<Conversion, string> = { Pdf: 'PDF', Cda: 'CDA' };

export type ComposeValues = {
  releaseTypeId: string | null;
  from: string;
  /** The sending number for fax recipients, if there is a choice. */
  faxFrom: string;
  to: string[];
  cc: string[];
  bcc: string[];
  subject: string;
  body: string;
  classification: string | null;
  /** None sends attachments as they are. */
  conversion: Conversion | null;
  fax: FaxOptions;
  patient: PatientValues;
  originalObjectId: string | null;
};

export const emptyPatient = (): PatientValues => ({
  ...(Object.fromEntries(PATIENT_FIELDS.map((f) => [f, ''])) as Record<PatientField, string>),
  patientIds: [],
  knownPatientId: null,
  integrationMeta: null,
});

export const patientValues = (patient: Patient | null | undefined): PatientValues => ({
  ...(Object.fromEntries(PATIENT_FIELDS.map((f) => [f, patient?.[f] ?? ''])) as Record<PatientField, string>),
  patientIds: (patient?.patientIds ?? []).map(({ root = '', id = '' }) => ({ root, id })),
  knownPatientId: patient?.knownPatientId ?? null,
  integrationMeta: patient?.integrationMeta ?? null,
});

export const isPatientEmpty = (patient: PatientValues) => PATIENT_FIELDS.every((f) => !patient[f].trim());

export const emptyValues = (fax: FaxOptions): ComposeValues => ({
  releaseTypeId: null,
  from: '',
  faxFrom: '',
  to: [],
  cc: [],
  bcc: [],
  subject: '',
  body: '',
  classification: null,
  conversion: null,
  fax,
  patient: emptyPatient(),
  originalObjectId: null,
});

export const conversionOf = (name: string | null | undefined) => (name === 'Pdf' || name === 'Cda' ? name : null);

export function valuesOf(message: Message, fax: FaxOptions): ComposeValues {
  const p = message.properties;
  return {
    releaseTypeId: message.releaseTypeId ?? null,
    from: message.fromAddress ?? '',
    faxFrom: message.fromFaxNumber ?? '',
    to: message.toAddresses?.length ? message.toAddresses : splitAddresses(message.toAddress),
    cc: message.ccAddresses ?? [],
    bcc: message.bccAddresses ?? [],
    subject: message.subject ?? '',
    body: message.body ?? '',
    classification: message.classification || null,
    conversion: conversionOf(message.conversion),
    fax: {
      includeCoverPage: p?.includeCoverPage ?? fax.includeCoverPage,
      includeMessageBody: p?.includeMessageBody ?? fax.includeMessageBody,
      includeAttachmentDescriptions: p?.includeAttachmentDescriptions ?? fax.includeAttachmentDescriptions,
    },
    patient: patientValues(message.patient),
    originalObjectId: message.originalObjectId ?? null,
  };
}

/** Dates and choices that are empty are none; identifiers lacking root or id are dropped. */
export const patientInput = (patient: PatientValues): Patient => ({
  ...Object.fromEntries(PATIENT_FIELDS.map((f) => [f, patient[f].trim() || null])),
  patientIds: patient.patientIds.filter((i) => i.root && i.id),
  integrationMeta: patient.integrationMeta,
});

/** Names one act of sending; `randomUUID` would need a secure page. */
export const newKey = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, '0')).join('');

/** A fax number as its digits, an address without spaces around it. */
export const cleanAddress = (value: string) => (isFaxNumber(value) ? stripFax(value) : value.trim());

type Extra = {
  mode?: MessageInput['mode'];
  comments?: string;
  reasonForDisclosure?: string;
  releaseTypes: ReleaseType[];
  attachments: Attachment[];
};

/** Absent fields are unchanged on the server, so empty ones are sent. */
export function inputOf(values: ComposeValues, { mode, comments, reasonForDisclosure, releaseTypes, attachments }: Extra): MessageInput {
  const type = releaseTypes.find((t) => t.id === values.releaseTypeId);
  return {
    subject: values.subject.trim(),
    fromAddress: values.from,
    fromFaxNumber: values.faxFrom || null,
    toAddresses: values.to.map(cleanAddress),
    ccAddresses: values.cc.map(cleanAddress),
    bccAddresses: values.bcc.map(cleanAddress),
    body: values.body,
    releaseTypeId: values.releaseTypeId,
    releaseType: type?.name ?? null,
    classification: values.classification ?? '',
    patient: patientInput(values.patient),
    conversion: values.conversion ?? 'Original',
    attachments2PDF: values.conversion === 'Pdf',
    attachments2CDA: values.conversion === 'Cda',
    properties: values.fax,
    originalObjectId: values.originalObjectId,
    attachments: attachments.map((a) => ({ id: a.id, attachmentMeta: a.attachmentMeta ?? undefined })),
    ...(mode === undefined ? {} : { mode }),
    ...(comments === undefined ? {} : { comments }),
    ...(reasonForDisclosure === undefined ? {} : { reasonForDisclosure }),
  };
}

/** `FW: ` or `RE: ` once, however often a message travels. */
export const withPrefix = (prefix: 'FW:' | 'RE:', subject: string) =>
  subject.trim().toUpperCase().startsWith(prefix) ? subject.trim() : `${prefix} ${subject.trim()}`.trim();

/** The original below a reply. */
export function quoted(original: Pick<Message, 'body' | 'fromAddress' | 'fromName'>, when: string): string {
  const lines = (original.body ?? '').trimEnd().split('\n');
  if (!lines.some((l) => l.trim())) return '';
  const sender = original.fromName || original.fromAddress || 'The sender';
  return `\n\n${sender} wrote (${when}):\n${lines.map((l) => `> ${l}`).join('\n')}`;
}

/** The kind of a draft. Older drafts lack it: those with an original were mostly forwarded. */
export const modeOfDraft = (draft: Pick<Message, 'originalObjectId' | 'mode'>): Mode => {
  const said = draft.mode ?? (draft.originalObjectId ? 'forward' : 'send');
  return said === 'send' ? 'draft' : said;
};
