import type { AddressCheck, Attachment, Confidentiality, DocumentDateType } from '@/api/types';
import {
  attachmentErrors,
  extensionOf,
  missingPatient,
  type PageMode,
  type PatientErrors,
  patientErrors,
  type PatientField,
  patientLine,
  patientRequired,
} from '@/domain/messaging/rules';
import { directAddressError, isDirectAddress, isFaxNumber } from '@/shared/rules/fields';
import type { ComposeValues, Mode, PatientValues } from './model';

export const MAX_FILE_BYTES = 20_971_520;
/** All attachments of a message together, before encoding. */
export const MAX_TOGETHER_BYTES = 25 * 1024 * 1024;

// ── Addresses ──────────────────────────────────────────────────────────

const ADDRESS_NOT_VALID = 'This address is not valid.';

/** Null when the text can be an address. */
export function addressError(value: string): string | null {
  if (!value.includes('@')) return isFaxNumber(value) ? null : ADDRESS_NOT_VALID;
  return directAddressError(value) ?? (isDirectAddress(value) ? null : ADDRESS_NOT_VALID);
}

/** Errors of each address, by the rules here and the server's answer. */
export function addressErrors(addresses: string[], checks: Pick<AddressCheck, 'address' | 'isValid' | 'message'>[]): Map<string, string> {
  const errors = new Map<string, string>();
  for (const address of addresses) {
    const own = addressError(address);
    const check = checks.find((c) => c.address.toLowerCase() === address.toLowerCase());
    if (own) errors.set(address, own);
    else if (check && !check.isValid) errors.set(address, check.message || ADDRESS_NOT_VALID);
  }
  return errors;
}

/** A plan without the send function still sends to fax numbers, and to addresses with the operator's test marker. */
export const needsUpgrade = (addresses: string[], testMarker: string) =>
  addresses.some((a) => !(isFaxNumber(a) && !a.includes('@')) && !(testMarker && a.includes(testMarker)));

export const hasFax = (addresses: string[]) => addresses.some((a) => !a.includes('@') && isFaxNumber(a));

// ── Patient ────────────────────────────────────────────────────────────

export const REQUIRED_PATIENT_FIELDS: readonly string[] = ['firstName', 'lastName', 'birthDate', 'gender'];
/** A draft is a new release that was put aside. */
const pageMode = (mode: Mode): PageMode => (mode === 'draft' ? 'new' : mode === 'reply' ? 'forward' : mode);
/** Whether exports ask for a patient matters on intake only. */
const NO_EXPORT = {};
export const isPatientRequired = (mode: Mode) => patientRequired(pageMode(mode), NO_EXPORT);

// ── Attachments ────────────────────────────────────────────────────────

const STRUCTURED = ['hl7', 'ccd', 'cda', 'xml'];
/** By its name, before the server has looked into it: the document states its own details. */
export const looksStructured = (fileName: string) => STRUCTURED.includes(extensionOf(fileName));

export const UPLOAD_TEXTS = {
  none: 'Please select a file.',
  empty: 'File is empty. Please upload something more substantial.',
  tooLarge: 'Your attachment exceeds the maximum (20MB) allowed size.',
  together: 'All attachments together may be at most 25 MB.',
  noExtension: 'Your attachment file type is not supported.',
  unsupported: (extension: string) => `Your attachment file type ${extension} is not supported`,
} as const;

/** Null if the file may be uploaded in addition to the current attachments. `extensions` is empty while unknown. */
export function fileError(file: Pick<File, 'name' | 'size'>, extensions: string[], attachedBytes: number): string | null {
  const extension = extensionOf(file.name);
  if (!extension) return UPLOAD_TEXTS.noExtension;
  if (extensions.length && !extensions.includes(extension)) return UPLOAD_TEXTS.unsupported(extension);
  if (file.size === 0) return UPLOAD_TEXTS.empty;
  if (file.size > MAX_FILE_BYTES) return UPLOAD_TEXTS.tooLarge;
  return attachedBytes + file.size > MAX_TOGETHER_BYTES ? UPLOAD_TEXTS.together : null;
}

/** The same for several files at once: each counts for those after it. */
export function fileErrors(files: Pick<File, 'name' | 'size'>[], extensions: string[], attachedBytes: number): (string | null)[] {
  let bytes = attachedBytes;
  return files.map((file) => {
    const error = fileError(file, extensions, bytes);
    if (!error) bytes += file.size;
    return error;
  });
}

/** The message of a failed upload. */
export const uploadFailure = (fileName: string, messages: string[]) =>
  messages.some((m) => m.includes('FileType is not supported for upload'))
    ? `An error occurred while uploading '${fileName}'. Unsupported file type.`
    : `An error occurred while uploading '${fileName}'.`;

/** R is Restricted, VR is Very Restricted, anything else Normal. */
export function confidentialityIn(documentText: string): Confidentiality {
  const element = /<(?:\w+:)?confidentialityCode\b[^>]*>/.exec(documentText)?.[0] ?? '';
  const code = /\bcode\s*=\s*["']([^"']*)["']/.exec(element)?.[1]?.trim().toUpperCase();
  if (code === 'R') return 'Restricted';
  return code === 'V' || code === 'VR' ? 'VeryRestricted' : 'Normal';
}

export type DateChoice = DocumentDateType;
export type AttachValues = {
  documentType: string;
  confidentiality: Confidentiality | '';
  dateType: DateChoice;
  date: string;
  notes: string;
};
export type AttachErrors = Partial<Record<keyof AttachValues, string>>;

/** The new files share their metadata; a structured document states its own. */
export function attachErrors(values: AttachValues, fileNames: string[], today: Date): AttachErrors {
  const fileName = fileNames.find((name) => !looksStructured(name));
  if (!fileName) return {};
  const meta = { documentDate: values.date, confidentiality: values.confidentiality || null, documentDescription: values.notes };
  const found = attachmentErrors({ fileName, isStructured: false, attachmentMeta: meta } as Attachment, {
    mode: 'new',
    settings: NO_EXPORT,
    today,
  });
  return {
    ...(found.documentDate && { date: found.documentDate }),
    ...(found.confidentiality && { confidentiality: found.confidentiality }),
    ...(found.documentDescription && { notes: found.documentDescription }),
  };
}

// ── Sending ────────────────────────────────────────────────────────────

export type SendField = 'releaseType' | 'from' | 'to' | 'cc' | 'bcc' | 'attachments' | PatientField;
export type SendError = { field: SendField; text: string };

type SendCheck = {
  values: ComposeValues;
  mode: Mode;
  attachments: Attachment[];
  /** Files that are not on the server: uploading, or failed. */
  unfinished: string[];
  invalid: ReadonlyMap<string, string>;
  today: Date;
};

/** All errors that prevent sending, in page order. */
export function sendErrors({ values, mode, attachments, unfinished, invalid, today }: SendCheck): SendError[] {
  const errors: SendError[] = [];
  if (mode !== 'reply' && !values.releaseTypeId) errors.push({ field: 'releaseType', text: '"Release Type" is required.' });
  if (!values.from) errors.push({ field: 'from', text: '"From" address is required.' });
  if (values.to.length === 0) errors.push({ field: 'to', text: '"To" address is required.' });
  for (const field of ['to', 'cc', 'bcc'] as const) {
    for (const address of values[field]) {
      const text = invalid.get(address);
      if (text) errors.push({ field, text: `${text} (${address})` });
    }
  }
  for (const [field, text] of Object.entries(patientTexts(values.patient, mode, today)))
    errors.push({ field: field === 'details' ? 'firstName' : (field as PatientField), text: patientLine(field, text) });
  const wrong = attachments.flatMap((a) =>
    Object.values(attachmentErrors(a, { mode: pageMode(mode), settings: NO_EXPORT, toCda: values.conversion === 'Cda', today })),
  );
  if (wrong.length) errors.push({ field: 'attachments', text: "An attachment's information is invalid." });
  for (const text of wrong) errors.push({ field: 'attachments', text });
  for (const name of unfinished)
    errors.push({ field: 'attachments', text: `'${name}' is not uploaded. Wait for it, try again, or remove it.` });
  if (attachments.reduce((sum, a) => sum + a.sizeInBytes, 0) > MAX_TOGETHER_BYTES)
    errors.push({ field: 'attachments', text: UPLOAD_TEXTS.together });
  return errors;
}

/** Missing and invalid values. */
const patientTexts = (patient: PatientValues, mode: Mode, today: Date): PatientErrors => ({
  ...missingPatient(patient, { mode: pageMode(mode), settings: NO_EXPORT }),
  ...patientErrors(patient, { today }),
});

/** Invalid values, shown under their field on blur. */
export const patientFormErrors = (patient: PatientValues, today: Date): Partial<Record<PatientField, string>> =>
  patientErrors(patient, { today });

/** The same under the fields: where all of them are missing, the first says so and the others are only marked. */
export function patientFieldErrors(patient: PatientValues, mode: Mode, today: Date): Partial<Record<PatientField, string | true>> {
  const { details, ...texts } = patientTexts(patient, mode, today);
  if (!details) return texts;
  return { ...Object.fromEntries(REQUIRED_PATIENT_FIELDS.map((f) => [f, true as const])), ...texts, firstName: details };
}

/** Errors of a refused save or send as lines; that of the recipients comes first, and those of a patient name their field. */
export function serverErrors(modelState: Record<string, string[]>, message: string): string[] {
  const keys = Object.keys(modelState);
  const isTo = (key: string) => /^toaddress/i.test(key);
  const ordered = [...keys.filter(isTo), ...keys.filter((k) => !isTo(k))];
  const lines = ordered.flatMap((k) => modelState[k]!.map((text) => patientLine(k.replace(/^patient\./, ''), text)));
  return (lines.length ? lines : message.split('\n')).map((l) => l.trim()).filter(Boolean);
}

/** Target after sending: only a path of this application is allowed. */
export const safeReturnUrl = (value: string | undefined) => (value && /^\/(?![/\\])/.test(value) ? value : undefined);
