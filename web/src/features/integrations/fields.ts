import type { EhrCapability, EhrConnection, EhrConnectionForm } from '@/api/types';
import { IntegrationForm as limits } from '@/api/limits.gen';
import { type Field, checkboxField, choiceField, textField, type ValuesOf, valuesOf } from '@/shared/form/fields';
import { AUTHENTICATION } from './words';

const PLACEHOLDERS = /\{(?:type|date|from|subject)\}/g;

/** Shown as checkboxes of what is used. */
const unused: Field<EhrCapability[]> = { label: 'May do', initial: [], show: (value) => value.join(', '), control: () => null };

/** How the EHR is reached. */
export const reachFields = {
  name: textField('Name'),
  baseUrl: textField('FHIR address', { description: 'From the EHR’s administrator, such as https://fhir.hospital.example/r4.' }),
  authentication: choiceField('Signs in with', AUTHENTICATION, { initial: 'KeyPair', required: true, half: true }),
  clientId: textField('Client ID', {
    when: ({ authentication }) => authentication !== 'Open',
    description: 'The EHR gives it out. Needed before the connection is used.',
    half: true,
  }),
};

/** What a filed document needs. */
export const filingFields = {
  requiresFacility: checkboxField('Require a facility'),
  requiresDocumentType: checkboxField('Require a document type of the EHR'),
  descriptionTemplate: textField('Description of filed documents', {
    description: '{type}, {date}, {from} and {subject} are filled in for each document.',
    placeholder: '{type} from {from}',
    check: (text) => (/[{}]/.test(text.replace(PLACEHOLDERS, '')) ? 'Only {type}, {date}, {from} and {subject} are filled in.' : null),
  }),
  chartUrl: textField('Chart address', {
    description: 'Opens a patient in the EHR. Put {patient} where the patient’s id belongs.',
    placeholder: 'https://ehr.hospital.example/chart/{patient}',
    check: (url) => (url.includes('{patient}') ? null : 'Please put {patient} where the patient’s id belongs.'),
  }),
};

export const advancedFields = {
  scopes: textField('Scopes', { description: 'Separated by spaces. Leave blank to ask for what the connection needs.' }),
};

export const activeFields = { isActive: checkboxField('Use this connection', { initial: true }) };

export const fields = { ...reachFields, ...filingFields, ...advancedFields, ...activeFields, unused };
export type Values = ValuesOf<typeof fields>;
export { limits };

export const valuesFrom = (connection: EhrConnection | null | undefined): Values => valuesOf(fields, connection ?? {});

/** The request that saves or tests these values. */
export const bodyOf = (
  { authentication, ...values }: Values,
  saved: EhrConnection | null,
  version = saved?.version,
): EhrConnectionForm => ({
  ...values,
  authentication: authentication ?? 'KeyPair',
  clientId: authentication === 'Open' ? '' : values.clientId,
  integrationType: saved?.integrationType ?? 'Fhir',
  id: saved?.id,
  version,
});

/** For a version conflict, what somebody else changed. */
export const LABELS: Partial<Record<keyof EhrConnection, string>> = Object.fromEntries(
  Object.entries(fields).map(([name, { label }]) => [name, name === 'unused' ? 'Not used' : label]),
);
