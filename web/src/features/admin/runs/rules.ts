import type { Run, RunAttempt, RunStep } from '@/api/types';

const received = new Set(['Surescripts', 'Kno2ToKno2', 'Fax', 'Navihealth', 'Direct', 'Upload', 'Triage', 'Interface']);
/** The type of the workflow of a message, by the origin of the message. */
export const workflowTypeOf = (origin: string) => (received.has(origin) ? 'MessageReceiveWorkflow' : 'MessageSendWorkflow');

export const typeLabel = (type: Run['type']) => (type === 'MessageSendWorkflow' ? 'Release' : 'Intake');
export const channelLabel = (channel: string) => channel.replace('+Fax', ' and fax');

/** Only completed steps cannot be run again. */
export const canRetry = (step: Pick<RunStep, 'status'>) => step.status !== 'Completed';

const utc = new Intl.DateTimeFormat('en-US', {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hour12: false,
  timeZone: 'UTC',
});
/** `Nov 9, 10:46:02`, in UTC. */
export const formatUtc = (iso: string | null | undefined) => (iso ? utc.format(new Date(iso)) : '');

/** `00:01:02.345` as people say it: `1 min 2 s`. */
export function formatSpan(span: string | null | undefined): string {
  const [, h, m, s, ms] = /^(\d+):(\d\d):(\d\d)\.(\d{3})$/.exec(span ?? '') ?? [];
  if (h === undefined) return '';
  const seconds = Number(h) * 3600 + Number(m) * 60 + Number(s);
  if (seconds === 0) return `${Number(ms)} ms`;
  if (seconds < 60) return `${(seconds + Number(ms) / 1000).toFixed(1)} s`;
  if (seconds < 3600) return `${Number(m)} min ${Number(s)} s`;
  return `${Number(h)} h ${Number(m)} min`;
}

type Bar = { attempt: RunAttempt; from: number; width: number };
/** Position of each attempt between the first and the last of all, in percent; the shortest stays visible. */
export function timelineOf(steps: RunStep[]): Map<string, Bar[]> {
  const all = steps.flatMap((step) => step.attempts);
  const begin = Math.min(...all.map((a) => Date.parse(a.startTime)));
  const span = Math.max(1, Math.max(...all.map((a) => Date.parse(a.endTime))) - begin);
  const percent = (iso: string) => (100 * (Date.parse(iso) - begin)) / span;
  const bar = (attempt: RunAttempt) => {
    const width = Math.max(1, percent(attempt.endTime) - percent(attempt.startTime));
    return { attempt, from: Math.min(percent(attempt.startTime), 100 - width), width };
  };
  return new Map(steps.map((step) => [step.id, step.attempts.map(bar)]));
}
