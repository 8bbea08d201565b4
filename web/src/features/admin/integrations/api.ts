import type { ConnectionKind, IntegrationId } from '@/api/types';

/** The kinds of systems that organizations connect. */
export const CONNECTED: { value: ConnectionKind; label: string }[] = [
  { value: 'Fhir', label: 'EHR (FHIR R4)' },
  { value: 'Hl7', label: 'EHR (HL7 v2)' },
  { value: 'WebService', label: 'Web service' },
];
export const nameOfKind = (kind: ConnectionKind) => CONNECTED.find(({ value }) => value === kind)?.label ?? kind;

export const INTEGRATIONS: readonly { value: IntegrationId; label: string }[] = [
  { value: 'ServiceAccounts', label: 'Service accounts' },
  { value: 'Webhooks', label: 'Webhooks' },
  { value: 'SingleSignOn', label: 'Single sign-on' },
  { value: 'FaxAccounts', label: 'Fax services' },
  ...CONNECTED,
];
