import { IconAlertTriangle, IconClock, IconEye, IconFlagFilled } from '@tabler/icons-react';
import type { IntakeItem } from '@/api/types';
import { now } from '@/shared/clock';
import { formatDateTime } from '@/shared/format';
import { Who } from '@/shared/ui/status';

/** Other people who have the message open. */
export function Presence({ people, compact }: { people: { userId: string; name: string }[]; compact?: boolean }) {
  const first = people[0];
  if (!first) return null;
  const words = `${people.map((p) => p.name).join(', ')} currently has this message open.`;
  return (
    <span className="cp-presence" title={words}>
      <Who name={first.name} size={18} />
      <IconEye size={compact ? 13 : 14} stroke={1.8} aria-hidden />
      {people.length > 1 && <span className="cp-num">{people.length}</span>}
      <span className="cp-hidden">{words}</span>
    </span>
  );
}

export const Urgent = () => (
  <span className="cp-urgent" title="Urgent">
    <IconFlagFilled size={15} aria-hidden />
    <span className="cp-hidden">Urgent</span>
  </span>
);

/** Reasons for doubt about the patient of a message. */
export const patientDoubt: Record<NonNullable<IntakeItem['patientDoubt']>, string> = {
  DocumentsDiffer: 'The documents and the sender name different patients',
  SeveralPatients: 'The documents belong to several patients',
};

export const PatientDoubt = ({ of }: { of: IntakeItem['patientDoubt'] }) =>
  of && (
    <span className="int-doubt" title={patientDoubt[of]}>
      <IconAlertTriangle size={15} stroke={1.8} aria-hidden />
      <span className="cp-hidden">{patientDoubt[of]}</span>
    </span>
  );

/** The end of a message's snooze, past or future. */
export function Snoozed({ until }: { until: string }) {
  const words = `${new Date(until) > now() ? 'Snoozed until' : 'Came back'} ${formatDateTime(until)}`;
  return (
    <span className="int-back" title={words}>
      <IconClock size={15} stroke={1.8} aria-hidden />
      <span className="cp-hidden">{words}</span>
    </span>
  );
}
/** The tags set by intake rules. */
export const Tags = ({ of }: { of?: string[] }) =>
  of?.map((tag) => (
    <span key={tag} className="int-tag">
      {tag}
    </span>
  ));

/** A dot for unread, with a ring if received within the last hour. */
export const Unread = ({ on, recent }: { on: boolean; recent?: boolean }) => (
  <span className="cp-unread" data-recent={recent || undefined} title={recent ? 'Received within the last hour' : undefined}>
    {on && <span className="cp-dot" aria-hidden />}
    <span className="cp-hidden">
      {on && 'Unread'} {recent && 'Recent'}
    </span>
  </span>
);

export const others = (m: IntakeItem, userId: string) => (m.openedBy ?? []).filter((p) => p.userId !== userId);

const READ = 'Read from the document, not confirmed yet';

/** A guessed value of a row, until somebody confirms it. */
export const Proposed = ({ children }: { children: string }) => (
  <span className="int-proposed" title={READ}>
    {children}
    <span className="cp-hidden"> ({READ})</span>
  </span>
);

/** The patient of a message, or the one named in its document. */
export function PatientOf({ of }: { of: IntakeItem }) {
  if (of.patientName) return <span className="u cp-ink">{of.patientName}</span>;
  const name = of.proposal?.patientName;
  return name ? <Proposed>{name}</Proposed> : <span className="cp-muted">No patient yet</span>;
}

/** Its document type, or the one proposed from similar messages. */
export function TypeOf({ of }: { of: IntakeItem }) {
  if (of.documentType) return of.documentType;
  const type = of.proposal?.documentType;
  return type ? <Proposed>{type}</Proposed> : <span className="cp-muted">Not set</span>;
}
