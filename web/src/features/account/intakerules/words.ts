import type { IntakeRule } from '@/api/types';
import { plural } from '@/shared/format';

export const SOURCES = [
  { value: 'Direct', label: 'Direct' },
  { value: 'Fax', label: 'Fax' },
  { value: 'Upload', label: 'Upload' },
  { value: 'Interface', label: 'Interface' },
] as const;

export const PATIENTS = [
  { value: 'Any', label: 'Known or not' },
  { value: 'Known', label: 'Known' },
  { value: 'Unknown', label: 'Not known' },
] as const;

type Conditions = Pick<IntakeRule, 'sources' | 'senders' | 'recipients' | 'subjects' | 'documentTypes' | 'patient' | 'patientNames'>;
type Actions = Pick<IntakeRule, 'people' | 'tags' | 'documentType' | 'isUrgent' | 'fileToChart'> & { stops?: boolean };

const either = (texts: readonly string[]) => texts.map((text) => `“${text}”`).join(' or ');

/** `From “lab”, subject “result”`; `Every message` without conditions. */
export function conditionsOf(rule: Conditions, formatAddress: (address: string) => string): string {
  const parts = [
    rule.sources?.length && `by ${rule.sources.join(' or ')}`,
    rule.senders?.length && `from ${either(rule.senders)}`,
    rule.recipients?.length && `to ${rule.recipients.map(formatAddress).join(' or ')}`,
    rule.subjects?.length && `subject ${either(rule.subjects)}`,
    rule.documentTypes?.length && `type ${either(rule.documentTypes)}`,
    rule.patientNames?.length && `patient ${either(rule.patientNames)}`,
    rule.patient === 'Known' && 'patient known',
    rule.patient === 'Unknown' && 'patient not known',
  ].filter((part): part is string => Boolean(part));
  const text = parts.join(', ') || 'every message';
  return text[0]!.toUpperCase() + text.slice(1);
}

/** `Assign to Dana Whitfield, tag lab, urgent`. */
export function actionsOf(rule: Actions, nameOf: (id: string) => string, chartOf: (id: string) => string = () => 'chart'): string {
  const people = rule.people.length > 2 ? `one of ${plural(rule.people.length, 'person', 'people')}` : rule.people.map(nameOf).join(' or ');
  const parts = [
    people && `assign to ${people}`,
    rule.tags?.length && `tag ${rule.tags.join(', ')}`,
    rule.documentType && `type ${rule.documentType}`,
    rule.isUrgent && 'urgent',
    rule.fileToChart && `file to ${chartOf(rule.fileToChart.integrationId)} from ${rule.fileToChart.minimumPercent}%`,
    rule.stops && 'stop',
  ].filter((part): part is string => Boolean(part));
  const text = parts.join(', ');
  return text && text[0]!.toUpperCase() + text.slice(1);
}
