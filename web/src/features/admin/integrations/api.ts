import type { IntegrationId } from '@/api/types';

export const INTEGRATIONS: readonly { value: IntegrationId; label: string }[] = [
  { value: 'ServiceAccounts', label: 'Service accounts' },
  { value: 'Webhooks', label: 'Webhooks' },
  { value: 'SingleSignOn', label: 'Single sign-on' },
  { value: 'FaxAccounts', label: 'Fax services' },
  { value: 'Fhir', label: 'EHR (FHIR R4)' },
];
