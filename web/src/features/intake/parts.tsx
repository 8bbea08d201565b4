import { IconClock, IconEye, IconFlagFilled } from '@tabler/icons-react';
import type { IntakeItem } from '@/api/types';
import { now } from '@/shared/clock';
import { formatDateTime } from '@/shared/format';
import { Who } from '@/shared/ui/status';

/** Who else has the message open. */
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

/** Until when a message is snoozed, or when it came back. */
export function Snoozed({ until }: { until: string }) {
  const words = `${new Date(until) > now() ? 'Snoozed until' : 'Came back'} ${formatDateTime(until)}`;
  return (
    <span className="int-back" title={words}>
      <IconClock size={15} stroke={1.8} aria-hidden />
      <span className="cp-hidden">{words}</span>
    </span>
  );
}
/** What intake rules have put on the message. */
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
