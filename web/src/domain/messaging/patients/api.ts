import { queryOptions } from '@tanstack/react-query';
import { quiet } from '@/api/client';
import { itemsOf, queryOf } from '@/api/query';
import type { KnownPatient } from '@/api/types';
import { nameOf } from './words';

/** Criteria of a patient search: one line, or separate fields. Names match by the beginnings of their words. */
export type PatientCriteria = {
  text?: string;
  name?: string;
  birthDate?: string | null;
  patientId?: string | null;
  gender?: string | null;
  facility?: string | null;
};

/** Minimum number of letters to search a name. */
export const LETTERS = 2;

/** Patients of the organization. */
export const knownPatientsQuery = (criteria: PatientCriteria) =>
  queryOptions({
    ...itemsOf(queryOf('post', '/api/patients/_search', { body: criteria, ...quiet })),
    retry: false,
  });

export const patientName = ({ patient }: Pick<KnownPatient, 'patient'>) => nameOf(patient);

export const patientKey = (found: KnownPatient) => found.id ?? [patientName(found), found.patient.birthDate].join('|');
