import type { BulkAct, BulkJob } from '@/api/types';
import { formatCount, plural } from '@/shared/format';

const DONE: Record<BulkAct, string> = {
  process: 'filed',
  reopen: 'reopened',
  read: 'marked as read',
  assign: 'assigned',
  urgent: 'marked or unmarked as urgent',
  snooze: 'snoozed',
  type: 'given a type',
  delete: 'deleted',
  restore: 'restored',
};

/** The progress of a job, in a sentence. */
export function jobWords({ act, state, total, isCounted, done, refused }: BulkJob): string {
  const did = `${plural(done, 'message')} ${DONE[act]}`;
  const not = refused > 0 ? `, ${formatCount(refused)} refused` : '';
  if (state === 'Running' && !isCounted) return `Finding the messages: ${formatCount(total)} so far`;
  if (state === 'Running') return `${formatCount(done)} of ${plural(total, 'message')} ${DONE[act]}${not}`;
  if (state === 'Stopped') return `Stopped: ${did}${not}`;
  if (state === 'Failed') return `It could not be finished: ${did}${not}`;
  return `${did}${not}.`;
}

/** Progress of a job, in percent. */
export const jobShare = ({ total, isCounted, done, refused }: BulkJob) =>
  isCounted && total > 0 ? Math.round(((done + refused) * 100) / total) : 0;
