import type { MessagingHealthChannel } from '@/api/types';
import type { Tone } from '@/shared/ui/states';

/** Errors are red, warnings orange, the rest is blue. */
export const toneOf = (state: string): Tone => (state === 'Error' ? 'danger' : state === 'Warn' ? 'warn' : 'info');

/** Tones: danger for triggered alerts, warning for those to watch. */
export const toneOfAlert = (status: string): Tone => (status === 'Triggered' ? 'danger' : status === 'Warn' ? 'warn' : 'success');

/** The height of each day in percent of the largest; days with anything stay visible. */
export function barsOf({ dailyStats }: Pick<MessagingHealthChannel, 'dailyStats'>): number[] {
  const most = Math.max(1, ...dailyStats.map((day) => day.value));
  return dailyStats.map(({ value }) => (value > 0 ? Math.max(8, (100 * value) / most) : 0));
}
