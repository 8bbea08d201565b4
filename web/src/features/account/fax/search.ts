import type { FaxLogEntry } from '@/api/types';
import { isIsoDate } from '@/shared/rules/dates';
import { type ListSearch, listSearch } from '@/shared/table/listSearch';

export const TABS = [
  { value: 'log', label: 'Log' },
  { value: 'numbers', label: 'Numbers' },
  { value: 'settings', label: 'Settings' },
] as const;
export type FaxTab = (typeof TABS)[number]['value'];

export const DIRECTIONS = ['Sent', 'Received'] as const;
export type Direction = (typeof DIRECTIONS)[number];

type Outcome = NonNullable<FaxLogEntry['outcome']>;
/** Outcomes of calls, by the server's names. */
export const OUTCOMES: Record<Outcome, string> = {
  Delivered: 'Delivered',
  Busy: 'Busy',
  NoAnswer: 'No answer',
  NoCarrier: 'No carrier',
  VoiceAnswered: 'A person answered',
  NoFaxSignal: 'No fax signal',
  TrainingFailed: 'Training failed',
  PagesLost: 'Pages lost',
  RemoteHangUp: 'Remote hang-up',
  BadNumber: 'Bad number',
  LocalFault: 'Own line failed',
  ProviderFault: 'Provider failed',
  Cancelled: 'Cancelled',
  Uncertain: 'Uncertain',
  Received: 'Received',
  Partial: 'Received in part',
  Unknown: 'Number unknown',
};
export const OUTCOME_CHOICES = (Object.keys(OUTCOMES) as Outcome[]).map((value) => ({ value, label: OUTCOMES[value] }));

export type LogSearch = ListSearch & { direction?: Direction; outcome?: Outcome; from?: string; until?: string };

const day = (value: unknown) => (typeof value === 'string' && isIsoDate(value) ? value : undefined);

/** Kept free of components: the route file is in the entry bundle. */
export const logSearch = (raw: Record<string, unknown>): LogSearch => ({
  ...listSearch(raw),
  direction: DIRECTIONS.find((d) => d === raw.direction),
  outcome: OUTCOME_CHOICES.find(({ value }) => value === raw.outcome)?.value,
  from: day(raw.from),
  until: day(raw.until),
});
