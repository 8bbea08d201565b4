import type { ChartConnection, ChartPatient, ConnectionType, EhrConnection, Patient } from '@/api/types';
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
  chartUrl: '',
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

/** A connection, as its administrators see it. */
export const ehrConnection = (over: Partial<EhrConnection> = {}): EhrConnection => ({
  id: 'c-1',
  integrationType: 'Fhir',
  name: 'Maple Street EHR',
  isActive: true,
  baseUrl: 'https://maple.example/r4',
  authentication: 'KeyPair',
  clientId: 'carepost-larkfield',
  scopes: '',
  requiresFacility: false,
  requiresDocumentType: false,
  descriptionTemplate: '',
  chartUrl: '',
  messages: { kind: 'Mdm', receivingApplication: '', receivingFacility: '', certificate: '' },
  bodyTemplate: '',
  hasSecret: false,
  keyId: 'cp-2026-11',
  keyMadeAt: '2026-11-06T09:00:00Z',
  keySetUrl: 'https://carepost.example/integrations/c-1.jwks',
  redirectUrl: 'https://carepost.example/integrations/callback',
  offered: ['patientLookup', 'reviewerLookup', 'reviewerGroupLookup', 'documentUpload'],
  unused: [],
  software: '',
  state: 'Connected',
  problem: '',
  remedy: '',
  answeredAt: '2026-11-20T09:00:00Z',
  answerMilliseconds: 132,
  waiting: 0,
  failed: 0,
  filedLastWeek: 318,
  version: 1,
  ...over,
});

export const connectionType = (over: Partial<ConnectionType> = {}): ConnectionType => ({
  integrationType: 'Fhir',
  name: 'EHR (FHIR R4)',
  description: 'Finds patients in an EHR.',
  authentications: ['KeyPair', 'Person', 'Open'],
  capabilities: ['patientLookup', 'documentUpload'],
  isAllowed: true,
  redirectUrl: 'https://carepost.example/integrations/callback',
  bodyTemplate: '',
  placeholders: [],
  ...over,
});
