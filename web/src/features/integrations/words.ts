import type {
  ConnectionKind,
  ConnectionState,
  EhrAuthentication,
  EhrCapability,
  EhrConnection,
  EhrMessageKind,
  TestStep,
} from '@/api/types';
import { plural } from '@/shared/format';

export const CAPABILITIES: Record<EhrCapability, string> = {
  patientLookup: 'Find patients',
  patientDetailsLookup: 'Patient details',
  visitLookup: 'Visits',
  orderLookup: 'Orders',
  reviewerLookup: 'Reviewers',
  reviewerGroupLookup: 'Reviewer groups',
  facilityLookup: 'Facilities',
  documentTypeLookup: 'Document types',
  documentUpload: 'File documents',
  patientCreate: 'Add patients',
  documentSend: 'Get documents',
};

export const AUTHENTICATION: { value: EhrAuthentication; label: string }[] = [
  { value: 'KeyPair', label: 'Key pair (JWT)' },
  { value: 'Person', label: 'Each person' },
  { value: 'Open', label: 'No sign-in' },
];

export const MESSAGE_KINDS: { value: EhrMessageKind; label: string }[] = [
  { value: 'Mdm', label: 'MDM (document)' },
  { value: 'Oru', label: 'ORU (result)' },
];

/** The state as shown, and the look that it shares with other screens. */
export const STATES: Record<ConnectionState, { state: string; text: string }> = {
  Connected: { state: 'Active', text: 'Connected' },
  Failing: { state: 'Failed', text: 'Failing' },
  Off: { state: 'Inactive', text: 'Off' },
  NotAllowed: { state: 'Blocked', text: 'Not allowed' },
};
export const STATE_CHOICES = Object.entries(STATES).map(([value, { text }]) => ({ value, label: text }));

const STEPS = { Name: 'Name', Tls: 'Encryption', SignIn: 'Sign-in' };
const READ: Record<ConnectionKind, string> = { Fhir: 'Read patients', Hl7: 'Messages of the EHR', WebService: 'Answer' };

/** What a step of a test looks at. */
export const stepName = (step: TestStep['step'], kind: ConnectionKind) => (step === 'Read' ? READ[kind] : STEPS[step]);

/** What waits for a failing connection, as a sentence; nothing if nothing does. */
export function waitingText({ waiting, authentication, integrationType }: EhrConnection) {
  if (waiting === 0) return '';
  const [wait, go, themselves] = waiting === 1 ? ['waits', 'goes', 'itself'] : ['wait', 'go', 'themselves'];
  const once = authentication === 'Open' ? 'it answers' : 'it signs in';
  return `${plural(waiting, 'document')} ${wait} to be ${doneWith(integrationType)} and ${go} on by ${themselves} once ${once}.`;
}

/** Whether the people or groups of the EHR can be read. */
export const hasPeople = ({ offered, unused, isActive, state }: EhrConnection) =>
  isActive && state !== 'NotAllowed' && PEOPLE.some((capability) => offered.includes(capability) && !unused.includes(capability));
const PEOPLE = ['reviewerLookup', 'reviewerGroupLookup'] as const;

/** What is done with documents there. */
export const doneWith = (kind: ConnectionKind) => (kind === 'WebService' ? 'sent' : 'filed');

/** `7 connections, 5 connected, 1 failing, 1 off` */
export function countsText(connections: EhrConnection[]) {
  const states = Object.entries(STATES).map(([state, { text }]) => {
    const count = connections.filter((connection) => connection.state === state).length;
    return count > 0 ? `${count} ${text.toLowerCase()}` : '';
  });
  return [plural(connections.length, 'connection'), ...states].filter(Boolean).join(', ');
}

const EXAMPLE = { '{type}': 'Lab result', '{date}': '11/20/2026', '{from}': 'Quarry Lab', '{subject}': 'Lipid panel' };

/** The description of an example document by a template. */
export const describeExample = (template: string) =>
  Object.entries(EXAMPLE).reduce((text, [name, value]) => text.replaceAll(name, value), template.trim() || '{type} from {from}');
