import type { AttachmentMeta, ChartMatch, ChartPatient, ChartType, ChartVisit, Patient } from '@/api/types';
import { formatPhone, formatTime } from '@/shared/format';
import { showDate } from '@/shared/rules/dates';
import { addressOf } from '@/domain/messaging/patients/words';

/** What is proposed for filing into the chart. Pure. */

const blank = (value: string | null | undefined) => !value?.trim();

/** Whether the chart can be searched for this patient. */
export const isSearchable = ({ lastName, firstName, birthDate }: Patient) => !blank(lastName) || (!blank(firstName) && Boolean(birthDate));

const PERSON = ['lastName', 'firstName', 'birthDate'] as const;
export const isSamePerson = (one: Patient, other: Patient) => PERSON.every((f) => (one[f]?.trim() ?? '') === (other[f]?.trim() ?? ''));

const momentOf = ({ time, date }: ChartVisit) => time ?? date ?? '';
const covers = ({ date, endDate }: ChartVisit, day: string) => Boolean(date && date <= day && (endDate || date) >= day);

export type ProposedVisit = { visit: ChartVisit; why: string };

/** The visit on the date of the document, else that of today, else the latest one so far. None that is cancelled. */
export function proposedVisit(visits: readonly ChartVisit[], documentDate: string | null | undefined, today: string): ProposedVisit | null {
  const held = visits.filter((v) => !v.isCancelled && v.date).toSorted((a, b) => momentOf(b).localeCompare(momentOf(a)));
  const ways: [day: string | null | undefined, why: string][] = [
    [documentDate, 'On the date of the document'],
    [today, 'Today'],
  ];
  for (const [day, why] of ways) {
    const visit = day && (held.find((v) => v.date === day) ?? held.find((v) => covers(v, day)));
    if (visit) return { visit, why };
  }
  const visit = held.find((v) => v.date! <= today);
  return visit ? { visit, why: 'The latest visit' } : null;
}

/** "Office visit, 11/24/2026, Dr. Okafor" */
export const visitName = ({ description, date, provider }: ChartVisit) =>
  [description || 'Visit', showDate(date), provider].filter(Boolean).join(', ');
/** "10:00 AM · arrived" */
export const visitFacts = ({ time, status }: ChartVisit) => [time && formatTime(time), status].filter(Boolean).join(' · ');

/** The type of the EHR with the name of ours. */
const typeLike = (types: readonly ChartType[], name: string | null | undefined) =>
  blank(name) ? undefined : types.find((type) => type.name.trim().toLowerCase() === name!.trim().toLowerCase());

/** The chosen type of the EHR, else the one of the same name. */
export const chartTypeOf = ({ documentType, integrationMeta }: AttachmentMeta, types: readonly ChartType[]) =>
  integrationMeta?.documentTypeId
    ? { id: integrationMeta.documentTypeId, name: integrationMeta.documentType ?? '' }
    : typeLike(types, documentType);

/** Name, as in the lists of patients. */
export const chartNameOf = (p: ChartPatient) =>
  [p.lastName, [p.firstName, p.middleName].filter(Boolean).join(' ')].filter(Boolean).join(', ');
export const chartFactsOf = (p: ChartPatient) =>
  [
    showDate(p.birthDate),
    p.gender,
    p.medicalRecordNumber && `MRN ${p.medicalRecordNumber}`,
    p.isDeceased && 'Deceased',
    !p.isActive && 'Inactive',
  ]
    .filter(Boolean)
    .join(' · ');

type Field = ChartMatch['fields'][number]['field'];

/** A compared value of the chart's patient, and of ours. */
export function comparedValues(field: Field, theirs: ChartPatient, ours: Patient): [theirs: string, ours: string] {
  switch (field) {
    case 'birthDate':
      return [showDate(theirs.birthDate), showDate(ours.birthDate)];
    case 'telephone':
      return [formatPhone(theirs.telephone), formatPhone(ours.telephone)];
    case 'patientId':
      return [theirs.medicalRecordNumber ?? '', ours.patientId || (ours.patientIds?.[0]?.id ?? '')];
    case 'address':
      return [addressOf(theirs), addressOf(ours)];
    case 'suffix':
      return ['', ''];
    default:
      return [theirs[field], ours[field] ?? ''];
  }
}
