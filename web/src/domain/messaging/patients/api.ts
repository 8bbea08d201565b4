import { queryOptions } from '@tanstack/react-query';
import { api, quiet, unwrap } from '@/api/client';
import type { KnownPatient } from '@/api/types';

/** Which patients are looked for. The name, of which at least three letters are needed, may be begun words of both names. */
export type PatientCriteria = {
  name: string;
  birthDate?: string | null;
  patientId?: string | null;
  gender?: string | null;
  facility?: string | null;
};

/** Letters from which on a name is looked for. */
export const LETTERS = 3;

/** Patients whom messages of the organization name. */
export const knownPatientsQuery = (criteria: PatientCriteria) =>
  queryOptions({
    queryKey: ['patients', 'known', criteria],
    queryFn: async () => (await unwrap(api.POST('/api/patients/_search', { body: criteria, ...quiet }))).items,
    retry: false,
  });

export const patientName = ({ patient: p }: Pick<KnownPatient, 'patient'>) =>
  [p.lastName, [p.firstName, p.middleName].filter(Boolean).join(' ')].filter(Boolean).join(', ');

export const patientKey = (found: KnownPatient) => [patientName(found), found.patient.birthDate].join('|');
