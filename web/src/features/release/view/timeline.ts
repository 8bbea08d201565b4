import type { Delivery } from '@/api/types';
import { formatDateTime } from '@/shared/format';

export type Step = {
  title: string /** The time of a step, or the expected one. */;
  note?: string;
  look?: 'done' | 'now' | 'bad' | 'unsure';
};

const clock = new Intl.DateTimeFormat('en-US', { hour: 'numeric', minute: '2-digit', second: '2-digit' });
// Intl puts a narrow space before AM and PM, which does not line up.
const formatSeconds = (iso: string) => clock.format(new Date(iso)).replace(/\u202f/g, ' ');
const day = (iso: string) => new Date(iso).toDateString();

/** Times on the day of acceptance have no date, later ones have. */
const at = (iso: string | null | undefined, acceptedAt: string | null | undefined) =>
  iso ? (acceptedAt && day(iso) !== day(acceptedAt) ? formatDateTime(iso) : formatSeconds(iso)) : undefined;

/** The displayed state of one recipient. */
export function recipientState(d: Delivery): string {
  if (d.correctedBy) return 'Corrected';
  if (d.state === 'Queued') return 'Sending';
  if (d.state === 'Sent' || d.state === 'Processed') return 'Waiting';
  return d.state;
}

type Stage = { title: string; time: string | null | undefined };

const stagesOf = (d: Delivery): Stage[] =>
  d.kind === 'Fax'
    ? [
        { title: 'Accepted', time: d.acceptedAt },
        { title: 'Sent', time: d.sentAt },
        { title: 'Confirmed', time: d.deliveredAt },
      ]
    : [
        { title: 'Accepted', time: d.acceptedAt },
        { title: 'Sent', time: d.sentAt },
        { title: 'Processed', time: d.processedAt },
        ...(d.wantsDispatched === false ? [] : [{ title: 'Dispatched', time: d.deliveredAt }]),
      ];

/** Four equal columns of past and expected steps. */
export function stepsOf(d: Delivery): Step[] {
  const stages = stagesOf(d);
  const steps: Step[] = [];
  for (const stage of stages) {
    if (stage.time) steps.push({ title: stage.title, note: at(stage.time, d.acceptedAt), look: 'done' });
    else if (d.state === 'Delivered') steps.push({ title: stage.title, look: 'done' });
    else if (d.state === 'Failed' || d.state === 'Uncertain') break;
    else steps.push({ title: stage.title });
  }
  if (d.state === 'Failed') {
    steps.push({ title: d.sentAt ? 'Not delivered' : 'Not sent', note: at(d.failedAt, d.acceptedAt), look: 'bad' });
  } else if (d.state === 'Uncertain') {
    steps.push({ title: 'Uncertain', note: at(d.failedAt ?? d.sentAt, d.acceptedAt), look: 'unsure' });
  } else {
    const next = steps.find((s) => !s.look);
    if (next && d.state === 'Queued') {
      next.look = 'now';
      if (next.title === 'Sent') next.title = 'Sending';
      next.note = d.attempt && d.attempt > 1 ? `Attempt ${d.attempt}` : undefined;
    } else if (next && d.expectedBy) next.note = `Expected by ${at(d.expectedBy, d.acceptedAt)}`;
  }
  return steps.slice(0, 4);
}

/** The state of the whole message: in progress until every recipient is settled. */
export function messageState(deliveries: Delivery[], status: string): string {
  if (deliveries.length === 0) return status;
  const states = deliveries.map(recipientState);
  if (states.includes('Sending') || states.includes('Waiting')) return 'Sending';
  if (states.every((s) => s === 'Failed')) return 'Failed';
  if (states.includes('Failed')) return 'Partly failed';
  if (states.includes('Uncertain')) return 'Uncertain';
  return states.includes('Delivered') ? 'Delivered' : 'Corrected';
}

const STATE_ORDER = ['Delivered', 'Corrected', 'Sending', 'Waiting', 'Uncertain', 'Failed'] as const;
export const countStates = (deliveries: Delivery[]) =>
  STATE_ORDER.map((state) => ({ state, count: deliveries.filter((d) => recipientState(d) === state).length })).filter((s) => s.count > 0);
