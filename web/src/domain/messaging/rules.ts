import { Patient as LIMITS } from '@/api/limits.gen';
import type {
  Attachment,
  AttachmentMeta,
  Confidentiality,
  DocumentDateType,
  InteroperabilitySettings,
  Message,
  Patient,
} from '@/api/types';
import { isIsoDate, isoDate } from '@/shared/rules/dates';
import { DEFAULT_FIELD_ERROR, DESCRIPTION_MAX, isPhone, tooLong } from '@/shared/rules/fields';

/** Requirements for processing or sending a message, and the editable fields. Pure. */

export type PageMode = 'new' | 'intake' | 'forward' | 'reply' | 'release';

const STRUCTURED = ['hl7', 'ccd', 'cda', 'xml'];
export const extensionOf = (fileName: string) => /\.([^.]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? '';
/** Structured documents bring their metadata along; it is read-only. */
export const isStructured = (a: Pick<Attachment, 'fileName' | 'isStructured'>) =>
  a.isStructured ?? STRUCTURED.includes(extensionOf(a.fileName));

export type Export = Partial<
  Pick<
    InteroperabilitySettings,
    'exportMode' | 'exportOption' | 'exportDirectoryType' | 'exportVisitDirectory' | 'nonPatientExport' | 'gaps'
  >
>;

/** A print is the message as received: no field is editable, so none is required. */
const isPrinted = (mode: PageMode, e: Export) => mode === 'intake' && e.exportMode === 'print';

/** On Intake, the visit is editable only for this kind of export. */
export const visitEditable = (mode: PageMode, e: Export) =>
  mode === 'release'
    ? false
    : mode !== 'intake' ||
      (e.exportMode === 'save_as' &&
        e.exportOption === 'standard' &&
        e.exportDirectoryType === 'patient_folder' &&
        Boolean(e.exportVisitDirectory));
export const patientEditable = (mode: PageMode, e: Export) => mode !== 'release' && !isPrinted(mode, e);
export const attachmentEditable = (mode: PageMode, e: Export, a: Pick<Attachment, 'fileName' | 'isStructured'>, isSelected: boolean) =>
  !isStructured(a) && mode !== 'release' && (mode !== 'intake' || (isSelected && e.exportMode !== 'print'));

export const patientRequired = (mode: PageMode, e: Export) =>
  mode === 'new' ||
  (mode === 'intake' &&
    !isPrinted(mode, e) &&
    !e.nonPatientExport &&
    (e.exportOption === 'xds-sd_cda' || e.exportDirectoryType === 'single_directory' || e.exportDirectoryType === 'patient_folder'));

const TEXTS = ['patientId', 'firstName', 'middleName', 'lastName', 'streetAddress1', 'streetAddress2', 'city', 'telephone'] as const;
/** The fields of a patient, in display order. */
export const PATIENT_LABELS = {
  firstName: 'First name',
  middleName: 'Middle name',
  lastName: 'Last name',
  birthDate: 'Birth date',
  gender: 'Gender',
  patientId: 'Patient ID',
  telephone: 'Telephone',
  streetAddress1: 'Street address',
  streetAddress2: 'Unit',
  city: 'City',
  state: 'State',
  postalCode: 'Zip',
  visitDate: 'Visit date',
  visitId: 'Visit ID',
} as const;
export type PatientField = keyof typeof PATIENT_LABELS;
export const PATIENT_FIELDS = Object.keys(PATIENT_LABELS) as PatientField[];
export type PatientErrors = Partial<Record<PatientField | 'details', string>>;
const blank = (v: string | null | undefined) => !v?.trim();

/** Whether a message came from a prescription network. */
export const isOfPrescriptions = ({ origin }: Pick<Message, 'origin'>) => origin === 'PrescriptionNetwork';

type PatientRules = {
  mode: PageMode;
  settings: Export;
  today: Date /** A future visit is refused if the message came from a prescription network. */;
  fromPrescriptionNetwork?: boolean;
};

/** Format checks of the typed values; `missingPatient` checks for missing ones. */
export function patientErrors(
  p: Patient,
  { today, fromPrescriptionNetwork }: Pick<PatientRules, 'today' | 'fromPrescriptionNetwork'>,
): PatientErrors {
  const errors: PatientErrors = {};
  for (const field of TEXTS) {
    const long = tooLong(p[field], LIMITS[field].maxLength);
    if (long) errors[field] = long;
  }
  if (p.birthDate && (!isIsoDate(p.birthDate) || p.birthDate > isoDate(today))) errors.birthDate = DEFAULT_FIELD_ERROR;
  if (!blank(p.telephone) && !isPhone(p.telephone!)) errors.telephone = DEFAULT_FIELD_ERROR;
  if (p.visitDate && (!isIsoDate(p.visitDate) || (fromPrescriptionNetwork && p.visitDate > isoDate(today))))
    errors.visitDate = DEFAULT_FIELD_ERROR;
  return errors;
}

/** Texts of the page, in the order of its fields. Birth date and gender are not asked for on intake. */
export function missingPatient(p: Patient | null | undefined, { mode, settings }: Pick<PatientRules, 'mode' | 'settings'>): PatientErrors {
  if (!patientRequired(mode, settings)) return {};
  if (!p || [p.firstName, p.lastName, p.birthDate, p.gender].every(blank)) return { details: '"Patient Details" information is required.' };
  const errors: PatientErrors = {};
  if (blank(p.firstName)) errors.firstName = '"Patient First Name" is required.';
  if (blank(p.lastName)) errors.lastName = '"Patient Last Name" is required.';
  if (mode !== 'intake') {
    if (blank(p.birthDate)) errors.birthDate = '"Patient Birth Date" is required';
    if (blank(p.gender)) errors.gender = '"Patient Gender" is required';
  }
  return errors;
}

/** Whether a document could not be found by this patient. */
export const isNameless = (p: Patient) => [p.firstName, p.lastName, p.patientId].every(blank);

/** An error for a list: the field's name is put before a text that lacks it. */
export const patientLine = (field: string, text: string) =>
  !text.startsWith('"') && field in PATIENT_LABELS ? `${PATIENT_LABELS[field as PatientField]}: ${text}` : text;

export const META_LABELS = {
  documentType: 'Document type',
  confidentiality: 'Confidentiality',
  documentDate: 'Document date',
  documentDescription: 'Description',
} as const;
export type MetaField = keyof typeof META_LABELS;
export type MetaErrors = Partial<Record<MetaField, string>>;
type MetaRules = { mode: PageMode; settings: Export; toCda?: boolean; today: Date };

/** Texts for one selected attachment. */
export function attachmentErrors(
  a: Pick<Attachment, 'fileName' | 'isStructured' | 'attachmentMeta'>,
  { mode, settings, toCda, today }: MetaRules,
): MetaErrors {
  if (isStructured(a) || isPrinted(mode, settings)) return {};
  const meta = a.attachmentMeta ?? {};
  const errors: MetaErrors = {};
  if ((toCda || mode === 'intake') && !settings.nonPatientExport && blank(meta.documentType))
    errors.documentType = `"Document Type" is required for file ${a.fileName}`;
  if (blank(meta.documentDate)) errors.documentDate = `"Document Date" is required for file ${a.fileName}`;
  else if (!isIsoDate(meta.documentDate!) || meta.documentDate! > isoDate(today))
    errors.documentDate = 'Document Date must be equal or less than today.';
  if ((mode === 'new' || mode === 'forward') && blank(meta.confidentiality))
    errors.confidentiality = `"Confidentiality" is required for file ${a.fileName}`;
  const long = tooLong(meta.documentDescription, DESCRIPTION_MAX);
  if (long) errors.documentDescription = long;
  return errors;
}

const CONFIDENTIALITY_LABELS: Record<Confidentiality, string> = {
  Normal: 'Normal',
  Restricted: 'Restricted',
  VeryRestricted: 'Very Restricted',
};
export const CONFIDENTIALITY = Object.entries(CONFIDENTIALITY_LABELS).map(([value, label]) => ({ value: value as Confidentiality, label }));

/** A text as a confidentiality, or nothing if it is not one. */
export const confidentialityOf = (text: string | undefined) => CONFIDENTIALITY.find((c) => c.value === text)?.value;

/** Text shown when no colleague matches. */
export const NO_USERS = 'No users match the given criteria.';

export const GENDERS = [
  { value: 'F', label: 'Female' },
  { value: 'M', label: 'Male' },
  { value: 'UN', label: 'Undifferentiated' },
];

/** The fields that reading a document may fill. */
export const EXTRACTED = ['firstName', 'middleName', 'lastName', 'birthDate', 'gender'] as const;
export type ExtractedField = (typeof EXTRACTED)[number];
export const isExtracted = (field: string): field is ExtractedField => EXTRACTED.some((known) => known === field);

/** Whether the patient was looked up in a chart: the fields are read-only until the patient is cleared. */
export const lockedPatient = ({ integrationMeta }: Pick<Patient, 'integrationMeta'>) => Boolean(integrationMeta?.patientId);

/** A patient from a chart without details that are refused here: as the fields are read-only, nobody could correct them. */
export const acceptable = (patient: Patient, rules: Parameters<typeof patientErrors>[1]): Patient =>
  lockedPatient(patient)
    ? { ...patient, ...Object.fromEntries(Object.keys(patientErrors(patient, rules)).map((field) => [field, null])) }
    : patient;

/** Only empty fields are filled, and none of a patient from a chart; answers what changed. */
export function fillEmpty(current: Patient, found: Patient): { patient: Patient; filled: ExtractedField[] } {
  if (lockedPatient(current)) return { patient: current, filled: [] };
  const filled = EXTRACTED.filter((f) => blank(current[f]) && !blank(found[f]));
  return { patient: { ...current, ...Object.fromEntries(filled.map((f) => [f, found[f]])) }, filled };
}

/** The fields that identify a person; other details change over time. */
const PERSON = ['firstName', 'lastName', 'birthDate'] as const;
type Detail = Exclude<PatientField, 'visitDate' | 'visitId'>;
const DETAILS = PATIENT_FIELDS.filter((field): field is Detail => field !== 'visitDate' && field !== 'visitId');

/** Whether both have this detail, and not the same. */
export const isOther = (current: Patient, found: Patient, field: Detail) =>
  !blank(found[field]) && !blank(current[field]) && found[field]!.trim().toLowerCase() !== current[field]!.trim().toLowerCase();
export const isOtherPerson = (current: Patient, found: Patient) => PERSON.some((field) => isOther(current, found, field));

/**
 * Fields in which a patient read from a file differs from the one at hand, for the question to overwrite. For another person,
 * also the fields that are empty in the file: no value of the current patient may stay.
 */
export function patientDifferences(current: Patient, found: Patient): { field: Detail; from: string; to: string }[] {
  const isLost = (field: Detail) => isOtherPerson(current, found) && !blank(current[field]) && blank(found[field]);
  return DETAILS.filter((field) => isOther(current, found, field) || isLost(field)).map((field) => ({
    field,
    from: current[field]?.trim() ?? '',
    to: found[field]?.trim() ?? '',
  }));
}

/** Identifying fields: changing one of them means another patient. */
const IDENTITY: readonly string[] = [...PERSON, 'patientId'];

type Linked = Pick<Patient, 'knownPatientId' | 'integrationMeta'>;
type Visited = Pick<Patient, 'integrationMeta' | 'visitId' | 'visitDate'>;

/**
 * A patient after input: a changed identity removes the links to the known patient and to the chart, a changed visit that to the
 * visit in the chart.
 */
export const retyped = <T extends Linked>(patient: T, typed: Partial<T>): T => {
  const isChanged = (fields: readonly string[]) => fields.some((f) => f in typed && typed[f as keyof T] !== patient[f as keyof T]);
  const next = { ...patient, ...typed };
  if (isChanged(IDENTITY)) return { ...next, knownPatientId: null, integrationMeta: null };
  if (patient.integrationMeta?.visitId && isChanged(['visitId', 'visitDate']))
    return { ...next, integrationMeta: { ...patient.integrationMeta, visitId: null } };
  return next;
};

/** The patient with a visit of the chart. */
export const withVisit = <T extends Visited>(patient: T, { id, date }: { id: string; date?: string | null }): T => ({
  ...patient,
  visitId: id,
  visitDate: date ?? '',
  integrationMeta: { ...patient.integrationMeta, visitId: id },
});

/** The patient without a visit, whether typed or from the chart. */
export const withoutVisit = <T extends Visited>(patient: T): T => ({
  ...patient,
  visitId: '',
  visitDate: '',
  integrationMeta: patient.integrationMeta && { ...patient.integrationMeta, visitId: null },
});

/** The metadata of a document without the orders of a visit. */
export const withoutOrders = (meta: AttachmentMeta): AttachmentMeta =>
  meta.integrationMeta?.orderIds?.length ? { ...meta, integrationMeta: { ...meta.integrationMeta, orderIds: [] } } : meta;

/** The patient of a document, completed with known details. No value of the document is replaced, and none of a chart. */
export const completed = (said: Patient, known: Patient): Patient => {
  const { visitDate: _date, visitId: _visit, integrationMeta: _elsewhere, ...person } = known;
  return { ...(lockedPatient(said) ? {} : stated(person)), ...stated(said), knownPatientId: known.knownPatientId };
};

const isStated = (value: Patient[keyof Patient]) => {
  if (!value) return false;
  if (typeof value === 'string' || Array.isArray(value)) return value.length > 0;
  return Object.values(value).some(Boolean);
};

/** The filled-in values. */
export const stated = (patient: Patient): Patient => Object.fromEntries(Object.entries(patient).filter(([, value]) => isStated(value)));

/**
 * The patient after an overwrite: the file's values, and the rest of the current ones if it is the same person. A visit stays,
 * unless it is one of the former patient's chart; the link to that chart never does.
 */
export function overwritePatient(current: Patient, found: Patient): Patient {
  const { visitDate, visitId, integrationMeta, ...person } = current;
  const visit = integrationMeta?.visitId ? {} : { visitDate, visitId };
  return { ...(isOtherPerson(current, found) ? {} : person), ...visit, ...stated(found) };
}

/** After a deletion the next attachment is selected, else the previous, else none. */
export function selectionAfterDelete(ids: string[], deleted: string): string | null {
  const at = ids.indexOf(deleted);
  return ids[at + 1] ?? ids[at - 1] ?? null;
}

/** today: this day; message: the message's own day; selected: empty, to be chosen. */
export function documentDateOf(choice: DocumentDateType, messageDate: string | null | undefined, today: Date): string {
  if (choice === 'today') return isoDate(today);
  if (choice === 'message' && messageDate) return isoDate(new Date(messageDate));
  return '';
}
