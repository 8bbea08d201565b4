import type { Patient, PatientMatch } from '@/api/types';
import { showDate } from '@/shared/rules/dates';

type Compared = PatientMatch['fields'][number];

export const FIELD_NAMES: Record<Compared['field'], string> = {
  lastName: 'last name',
  firstName: 'first name',
  middleName: 'middle name',
  suffix: 'suffix',
  birthDate: 'birth date',
  gender: 'gender',
  patientId: 'patient ID',
  telephone: 'telephone',
  address: 'address',
};

/** "Same: last name, birth date. Similar: first name. Different: telephone." */
export function why({ fields }: Pick<PatientMatch, 'fields'>): string {
  const parts = (
    [
      ['Same', 'Agrees'],
      ['Similar', 'Similar'],
      ['Different', 'Differs'],
    ] as const
  ).map(([word, agreement]) => {
    const names = fields.filter((f) => f.agreement === agreement).map((f) => FIELD_NAMES[f.field]);
    return names.length > 0 ? `${word}: ${names.join(', ')}.` : '';
  });
  return parts.filter(Boolean).join(' ');
}

/** "Tenney, Marisol J" */
export const nameOf = (p: Patient) => [p.lastName, [p.firstName, p.middleName].filter(Boolean).join(' ')].filter(Boolean).join(', ');

/** An address in one line. */
export const addressOf = (p: Patient) =>
  [p.streetAddress1, p.streetAddress2, p.city, [p.state, p.postalCode].filter(Boolean).join(' ')].filter(Boolean).join(', ');

/** "Mar 14, 1961 · F · LFM-08842" */
export const factsOf = (p: Patient) => [showDate(p.birthDate), p.gender, p.patientId].filter(Boolean).join(' · ');
