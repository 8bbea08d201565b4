import type { ChartConnection, ChartPatient, Patient } from '@/api/types';
import { answer } from './answers';

/** Data for tests of the chart. */

export const connection = (over: Partial<ChartConnection> = {}): ChartConnection => ({
  integrationId: 'ehr',
  integrationType: 'Fhir',
  name: 'Maple Street EHR',
  capabilities: ['patientLookup', 'patientDetailsLookup', 'visitLookup', 'orderLookup', 'reviewerLookup', 'documentUpload'],
  state: 'Connected',
  needsLogin: false,
  requiresFacility: false,
  requiresDocumentType: false,
  ...over,
});

/** The EHR that screens find connected. */
export const connected = (over: Partial<ChartConnection> = {}) =>
  answer('get', '/api/integrations/connected/types', { items: [connection(over)] });

export const tenney = (over: Partial<ChartPatient> = {}): ChartPatient => ({
  id: 'p1',
  medicalRecordNumber: 'MS-40718',
  firstName: 'Marisol',
  middleName: 'J',
  lastName: 'Tenney',
  formerNames: [],
  birthDate: '1961-03-14',
  gender: 'F',
  streetAddress1: '',
  streetAddress2: '',
  city: '',
  state: '',
  postalCode: '',
  telephone: '',
  isActive: true,
  isDeceased: false,
  ...over,
});

/** Tenney as the patient of a message, as looked up. */
export const looked = (over: Partial<Patient> = {}): Patient => ({
  patientId: 'MS-40718',
  firstName: 'Marisol',
  lastName: 'Tenney',
  birthDate: '1961-03-14',
  gender: 'F',
  integrationMeta: { integrationId: 'ehr', patientId: 'p1', medicalRecordNumber: 'MS-40718' },
  ...over,
});

export const patientsFound = (items: ChartPatient[], over = {}) => ({
  items,
  isCut: false,
  milliseconds: 212,
  integrationId: 'ehr',
  integrationName: 'Maple Street EHR',
  ...over,
});
