import type { Dashboard } from '@/api/types';
import { formatWhen, plural } from '@/shared/format';

export type Day = Dashboard['traffic'][number];
export const PERIODS = [7, 14, 30];
export const DEFAULT_PERIOD = 14;

/** A round upper end of the scale. */
export function ceilingOf(days: Day[]): number {
  const most = Math.max(1, ...days.flatMap((d) => [d.received, d.sent]));
  const unit = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 5, 10].map((n) => n * unit).find((n) => n >= most) ?? most;
}

const dayFormat = new Intl.DateTimeFormat('en-US', { month: 'short', day: '2-digit', timeZone: 'UTC' });
/** `Nov 09`; a day has no time zone. */
export const dayLabel = (date: string) => dayFormat.format(new Date(`${date}T00:00:00Z`));

export const sumOf = (days: Day[], what: 'received' | 'sent') => days.reduce((sum, d) => sum + d[what], 0);

/** All labels for few days, some of them for many. */
export const isLabelled = (index: number, days: number) => (days - 1 - index) % Math.ceil(days / 7) === 0;

export type Step = { title: string; text: string; done: boolean; href?: 'team' };

/** The setup steps of an organization, until all are done. */
export function stepsOf(d: Dashboard): Step[] {
  const team = d.users.active + d.users.invited;
  const steps: Step[] = [
    { title: 'Accept the terms', text: formatWhen(d.termsAcceptedDate) || 'Not yet', done: Boolean(d.termsAcceptedDate) },
    { title: 'Verify your identity', text: formatWhen(d.idProofedDate) || 'Not yet', done: Boolean(d.idProofedDate) },
    {
      title: 'Invite your team',
      text: team > 1 ? `${d.users.active} of ${team} accepted` : 'Nobody yet',
      done: team > 1,
      href: 'team',
    },
    { title: 'Activation', text: d.isActivated ? 'Done' : 'Takes 2-3 business days', done: d.isActivated },
  ];
  return steps.every((s) => s.done) ? [] : steps;
}

export const invitationsText = (n: number) => `${plural(n, 'person has', 'people have')} not accepted the invitation yet`;
