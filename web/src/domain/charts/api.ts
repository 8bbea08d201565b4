import { queryOptions } from '@tanstack/react-query';
import { api, ApiError, quiet, unwrap } from '@/api/client';
import { itemsOf, queryOf } from '@/api/query';
import type { ChartConnection, ChartPatientSearch, Patient } from '@/api/types';
import { FRESH_REFERENCE_MS } from '@/app/queryClient';

/** Calls to connected systems. */

export const connectedQuery = itemsOf(queryOf('get', '/api/integrations/connected/types', quiet));

/** Every look into the chart is a new one: what is there may have changed. A failed one is not repeated without being asked. */
const fresh = { retry: false, staleTime: 0, gcTime: 0, refetchOnWindowFocus: false } as const;

export const patientsQuery = (body: ChartPatientSearch) =>
  queryOptions({ ...queryOf('post', '/api/integrations/patients', { body, ...quiet }), ...fresh });
export const visitsQuery = (integrationId: string, patientId: string) =>
  queryOptions({ ...itemsOf(queryOf('post', '/api/integrations/visits', { body: { integrationId, patientId }, ...quiet })), ...fresh });
export const ordersQuery = (integrationId: string, patientId: string, visitId: string | null) =>
  queryOptions({
    ...itemsOf(queryOf('post', '/api/integrations/orders', { body: { integrationId, patientId, visitId }, ...quiet })),
    ...fresh,
  });
export const reviewersQuery = (integrationId: string, search: string) =>
  queryOptions({ ...itemsOf(queryOf('post', '/api/integrations/reviewers', { body: { integrationId, search }, ...quiet })), ...fresh });

const of = (integrationId: string) => ({ params: { query: { integrationId } }, ...quiet });
export const reviewerGroupsQuery = (integrationId: string) =>
  queryOptions({ ...itemsOf(queryOf('get', '/api/integrations/reviewergroups', of(integrationId))), ...fresh });
export const facilitiesQuery = (integrationId: string) =>
  queryOptions({
    ...itemsOf(queryOf('get', '/api/integrations/facilities', of(integrationId))),
    retry: false,
    staleTime: FRESH_REFERENCE_MS,
  });
export const chartTypesQuery = (integrationId: string) =>
  queryOptions({
    ...itemsOf(queryOf('get', '/api/integrations/documenttypes', of(integrationId))),
    retry: false,
    staleTime: FRESH_REFERENCE_MS,
  });

/** A patient with all details and the link to the chart. */
export const readPatient = async (integrationId: string, id: string): Promise<Patient> =>
  (await unwrap(api.GET('/api/integrations/patients/{id}', { params: { path: { id }, query: { integrationId } } }))).patient;

/** Adds a patient to the EHR. */
export const addPatient = async (integrationId: string, patient: Patient, acceptsDuplicates: boolean): Promise<Patient> =>
  (await unwrap(api.POST('/api/integrations/patients/add', { body: { integrationId, patient, acceptsDuplicates } }))).patient;

/** Who somebody here is in the connected EHRs. */
export const identitiesQuery = (userId: string) =>
  queryOptions({
    ...itemsOf(queryOf('get', '/api/integrations/identities/{userId}', { params: { path: { userId } }, ...quiet })),
    retry: false,
    staleTime: FRESH_REFERENCE_MS,
  });

/** Whether the person has to sign in at the EHR first. */
export const isLoginRequired = (error: unknown) => error instanceof ApiError && error.problem.reason === 'LoginRequired';

/** Begins a sign-in: the address to open, and what it is checked by. */
export const beginLogin = ({ integrationId, integrationType }: ChartConnection) =>
  unwrap(api.GET('/api/integrations/externallogin', { params: { query: { integrationType, integrationId } } }));
export const isSignedIn = async ({ integrationType }: ChartConnection, state: string) =>
  (await unwrap(api.POST('/api/integrations/checkstate', { body: { state, integrationType } }))).isSignedIn;
