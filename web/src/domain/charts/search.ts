import type { ChartConnection, ChartPatient, ChartPatientSearch, Patient } from '@/api/types';
import { nameOf } from '@/domain/messaging/patients/words';
import { isIsoDate } from '@/shared/rules/dates';

/** Criteria of a patient search in the chart. Pure. */

/** By name and birth date, or by details. */
export type Variant = 'name' | 'details';
/** Pause after which typing starts the search, in ms. */
export const DELAYS: Record<Variant, number> = { name: 500, details: 750 };
/** Minimum number of letters. */
const NAME = 3;
const PART = 2;

export type Criteria = {
  /** `Last, First` */
  name: string;
  lastName: string;
  firstName: string;
  birthDate: string;
  patientId: string;
  mrn: string;
  facility: string;
  gender: string;
  showInactive: boolean;
};

/**
 * The criteria to begin with. The patient ID of a document may be another practice's, and a gender read from it wrong: both would
 * hide the patient.
 */
export const criteriaOf = (patient: Patient): Criteria => ({
  name: nameOf({ lastName: patient.lastName, firstName: patient.firstName }),
  lastName: patient.lastName ?? '',
  firstName: patient.firstName ?? '',
  birthDate: patient.birthDate ?? '',
  patientId: '',
  mrn: patient.integrationMeta?.medicalRecordNumber ?? '',
  facility: patient.integrationMeta?.facilityId ?? '',
  gender: '',
  showInactive: false,
});

/** The names of the other variant. */
export function carryOver(criteria: Criteria, to: Variant): Criteria {
  if (to === 'name') return { ...criteria, name: nameOf(criteria) };
  const [lastName = '', ...rest] = criteria.name.split(',').map((part) => part.trim());
  return { ...criteria, lastName, firstName: rest.join(' ') };
}

const isShort = (text: string, least: number) => text.trim() !== '' && text.trim().length < least;

export type CriteriaErrors = Partial<Record<keyof Criteria, string>>;
/** Fields that are too short to search by, or no date. */
export function criteriaErrors(c: Criteria, variant: Variant): CriteriaErrors {
  const errors: CriteriaErrors = {};
  const parts = variant === 'name' ? (['name'] as const) : (['lastName', 'firstName', 'mrn'] as const);
  const least = variant === 'name' ? NAME : PART;
  for (const field of parts) if (isShort(c[field], least)) errors[field] = `Please enter at least ${least} characters.`;
  if (c.birthDate && !isIsoDate(c.birthDate)) errors.birthDate = 'Please enter a valid value for this field.';
  return errors;
}

/** What is missing for a search; nothing if it can begin. Facility and gender alone would find everybody. */
export function lacking(c: Criteria, variant: Variant, { requiresFacility }: Pick<ChartConnection, 'requiresFacility'>) {
  const texts = variant === 'name' ? [c.name] : [c.lastName, c.firstName, c.mrn, c.patientId];
  if (!c.birthDate && texts.every((text) => !text.trim()))
    return variant === 'name'
      ? `Enter at least ${NAME} letters of the name, or the birth date.`
      : `Enter at least ${PART} letters of a name or MRN, a birth date or a patient ID.`;
  if (requiresFacility && !c.facility.trim()) return 'Please choose a facility.';
  return undefined;
}

export function searchOf(c: Criteria, variant: Variant, integrationId: string): ChartPatientSearch {
  const common = { integrationId, birthDate: c.birthDate || null, facility: c.facility.trim() };
  if (variant === 'name') return { ...common, name: c.name.trim() };
  const { lastName, firstName, patientId, mrn, gender, showInactive } = c;
  const texts = Object.fromEntries(Object.entries({ lastName, firstName, patientId, mrn }).map(([field, text]) => [field, text.trim()]));
  return { ...common, ...texts, gender, showInactive };
}

const same = (a: string | null | undefined, b: string | null | undefined) =>
  (a ?? '').trim().toLowerCase() === (b ?? '').trim().toLowerCase();

/** The patient to add: the one at hand with all details, unless the fields name somebody else. */
export function newPatient(c: Criteria, variant: Variant, current: Patient): Patient {
  const { lastName, firstName, birthDate } = variant === 'name' ? carryOver(c, 'details') : c;
  const { integrationMeta: _link, knownPatientId: _known, visitId: _visit, visitDate: _date, ...details } = current;
  const isCurrent = same(lastName, current.lastName) && same(firstName, current.firstName) && same(birthDate, current.birthDate);
  const gender = (variant === 'details' && c.gender) || (isCurrent ? current.gender : null);
  return { ...(isCurrent && details), lastName: lastName.trim(), firstName: firstName.trim(), birthDate: birthDate || null, gender };
}

/** A found patient as that of a message, for an EHR that gives no more details. */
export const patientOf = (found: ChartPatient, integrationId: string): Patient => {
  const {
    id,
    medicalRecordNumber,
    facilityId,
    formerNames: _,
    isActive: _a,
    isDeceased: _d,
    admitDate: _b,
    dischargeDate: _e,
    ...details
  } = found;
  return {
    ...Object.fromEntries(Object.entries(details).filter(([, value]) => value)),
    patientId: medicalRecordNumber ?? null,
    integrationMeta: { integrationId, patientId: id, medicalRecordNumber, facilityId },
  };
};
