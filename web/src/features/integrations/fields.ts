import type { ConnectionKind, EhrAuthentication, EhrCapability, EhrConnection, EhrConnectionForm } from '@/api/types';
import { IntegrationForm as limits, IntegrationMessageForm } from '@/api/limits.gen';
import { changedFields } from '@/shared/form/conflict';
import {
  type Field,
  type FieldTable,
  checkboxField,
  choiceField,
  passwordField,
  textField,
  type ValuesOf,
  valuesOf,
} from '@/shared/form/fields';
import { AUTHENTICATION, MESSAGE_KINDS } from './words';

const PLACEHOLDERS = /\{(?:type|date|from|subject)\}/g;

/** A value that the editor shows in a way of its own. */
const own = <V>(label: string, initial: V, show: (value: V) => string = String): Field<V> => ({
  label,
  initial,
  show,
  control: () => null,
});

const ADDRESSES: Record<ConnectionKind, Field<string>> = {
  Fhir: textField('FHIR address', {
    description: 'From the EHR’s administrator, such as https://fhir.hospital.example/r4.',
    required: 'Please enter an https address, such as https://fhir.hospital.example/r4.',
  }),
  Hl7: textField('Address for documents', {
    description:
      'Such as mllps://ehr.hospital.example:2575, or folder: for files in your organization’s folder. Leave blank to look up patients only.',
  }),
  WebService: textField('Address', {
    description: 'Documents are sent there, such as https://documents.example/incoming.',
    required: 'Please enter an https address, such as https://documents.example/incoming.',
  }),
};

/** How messages with documents are addressed. */
export const messageFields: FieldTable = {
  'messages.kind': choiceField('Documents are sent as', MESSAGE_KINDS, { initial: 'Mdm', required: true }),
  'messages.receivingApplication': textField('Receiving application', { description: 'MSH-5, if the EHR asks for one.', half: true }),
  'messages.receivingFacility': textField('Receiving facility', { description: 'MSH-6, if the EHR asks for one.', half: true }),
  'messages.certificate': textField('Certificate of the EHR', {
    description: 'In PEM. Needed only if the EHR’s certificate is self-signed or from an authority of its own.',
    placeholder: '-----BEGIN CERTIFICATE-----',
    rows: 3,
  }),
};
export const messageLimits = Object.fromEntries(Object.entries(IntegrationMessageForm).map(([name, limit]) => [`messages.${name}`, limit]));

export const tokenField = {
  secret: passwordField('Token', { description: 'Sent as Authorization: Bearer. Leave blank if the service needs none.' }),
};

/** The fields of a kind of system. */
export function fieldsOf(kind: ConnectionKind) {
  const only = <V>(field: Field<V>, ...kinds: ConnectionKind[]): Field<V> =>
    kinds.includes(kind) ? field : { ...field, when: () => false };
  /** How the system is reached. */
  const reach = {
    name: textField('Name'),
    baseUrl: ADDRESSES[kind],
    authentication: only(
      choiceField<EhrAuthentication>('Signs in with', AUTHENTICATION, { initial: 'KeyPair', required: true, half: true }),
      'Fhir',
    ),
    clientId: only(
      textField('Client ID', {
        when: ({ authentication }) => authentication !== 'Open',
        description: 'The EHR gives it out. Needed before the connection is used.',
        half: true,
      }),
      'Fhir',
    ),
  };
  /** What a filed document needs. */
  const filing = {
    requiresFacility: only(checkboxField('Require a facility'), 'Fhir'),
    requiresDocumentType: only(checkboxField('Require a document type of the EHR'), 'Fhir'),
    descriptionTemplate: textField(`Description of ${kind === 'WebService' ? 'sent' : 'filed'} documents`, {
      description: '{type}, {date}, {from} and {subject} are filled in for each document.',
      placeholder: '{type} from {from}',
      check: (text) => (/[{}]/.test(text.replace(PLACEHOLDERS, '')) ? 'Only {type}, {date}, {from} and {subject} are filled in.' : null),
    }),
    chartUrl: only(
      textField('Chart address', {
        description: 'Opens a patient in the EHR. Put {patient} where the patient’s id belongs.',
        placeholder: 'https://ehr.hospital.example/chart/{patient}',
        check: (url) => (url.includes('{patient}') ? null : 'Please put {patient} where the patient’s id belongs.'),
      }),
      'Fhir',
      'Hl7',
    ),
  };
  const advanced = {
    scopes: only(textField('Scopes', { description: 'Separated by spaces. Leave blank to ask for what the connection needs.' }), 'Fhir'),
  };
  const active = { isActive: checkboxField('Use this connection', { initial: true }) };
  const elsewhere = {
    unused: own<EhrCapability[]>('Not used', [], (value) => value.join(', ')),
    messages: own<Required<NonNullable<EhrConnectionForm['messages']>>>('Messages', {
      kind: 'Mdm',
      receivingApplication: '',
      receivingFacility: '',
      certificate: '',
    }),
    bodyTemplate: own('Template', ''),
    secret: own('Token', '', (value) => (value ? 'another one' : 'empty')),
    forgetsSecret: own('Remove the token', false),
  };
  return { parts: { reach, filing, advanced, active }, fields: { ...reach, ...filing, ...advanced, ...active, ...elsewhere } };
}
export type Values = ValuesOf<ReturnType<typeof fieldsOf>['fields']>;
export { limits };

export const valuesFrom = (kind: ConnectionKind, connection: EhrConnection | null | undefined): Values =>
  valuesOf(fieldsOf(kind).fields, connection ?? {});

/** The request that saves or tests these values. */
export function bodyOf(
  { authentication, ...values }: Values,
  kind: ConnectionKind,
  saved: EhrConnection | null,
  version = saved?.version,
): EhrConnectionForm {
  const signsIn = kind === 'Fhir' ? (authentication ?? 'KeyPair') : 'Open';
  return {
    ...values,
    authentication: signsIn,
    clientId: signsIn === 'Open' ? '' : values.clientId,
    integrationType: kind,
    id: saved?.id,
    version,
  };
}

type Flat = Omit<EhrConnection, 'messages'> & Partial<Record<`messages.${keyof EhrConnection['messages']}`, string>>;
const flat = ({ messages, ...connection }: EhrConnection): Flat => ({
  ...connection,
  ...Object.fromEntries(Object.entries(messages).map(([name, value]) => [`messages.${name}`, value])),
});
const labelsOf = (fields: FieldTable) => Object.fromEntries(Object.entries(fields).map(([name, { label }]) => [name, label]));

/** For a version conflict, what somebody else changed. */
export function changesIn(kind: ConnectionKind) {
  const { messages: _, secret: _s, forgetsSecret: _f, ...fields } = fieldsOf(kind).fields;
  const labels: Partial<Record<keyof Flat, string>> = { ...labelsOf(fields), ...labelsOf(messageFields), hasSecret: 'Token' };
  const changes = changedFields<Flat>(labels);
  return (before: EhrConnection | null, now: EhrConnection) => changes(before && flat(before), flat(now));
}
