import type { TicketState } from '@/api/types';

export const SEVERITIES = [
  { value: '1', label: '1 – Not operational' },
  { value: '2', label: '2 – Feature not working as expected' },
  { value: '3', label: '3 – Enhancement request' },
  { value: '4', label: '4 – Question' },
] as const;

export const severityLabel = (severity: number) => SEVERITIES.find(({ value }) => value === String(severity))?.label ?? `${severity}`;

export const STATES = {
  Open: { state: 'Pending', text: 'Open' },
  InProgress: { state: 'Active', text: 'In progress' },
  Closed: { state: 'Inactive', text: 'Closed' },
} as const satisfies Record<TicketState, object>;
export const STATE_CHOICES = Object.entries(STATES).map(([value, { text }]) => ({ value, label: text }));
