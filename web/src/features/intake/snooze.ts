import { addDays } from '@/shared/rules/dates';

/** A time until which a message can be snoozed. */
export type Wake = { label: string; at: Date };

const MORNING = 8;
const at = (day: Date, hour: number) => new Date(day.getFullYear(), day.getMonth(), day.getDate(), hour);
const hours = (from: Date, n: number) => new Date(from.getTime() + n * 3_600_000);
const UNITS = { h: 'hour', d: 'day', w: 'week' } as const;

/** The usual times, each once: on a Sunday, tomorrow is Monday. */
export function usualWakes(today: Date): Wake[] {
  const toMonday = (8 - today.getDay()) % 7 || 7;
  const wakes = [
    { label: 'In 3 hours', at: hours(today, 3) },
    { label: 'Tomorrow morning', at: at(addDays(today, 1), MORNING) },
    { label: 'Monday morning', at: at(addDays(today, toMonday), MORNING) },
    { label: 'In a week', at: at(addDays(today, 7), MORNING) },
  ];
  return wakes.filter((wake, n) => wakes.findIndex((other) => other.at.getTime() === wake.at.getTime()) === n);
}

/** A typed time: `2h`, `3d`, `1w`, or a day such as 12/04. */
export function typedWake(text: string, today: Date): Wake | null {
  const span = /^(\d{1,3})\s*([hdw])/i.exec(text.trim());
  if (span) {
    const n = Number(span[1]);
    const unit = span[2]!.toLowerCase() as keyof typeof UNITS;
    const days = unit === 'w' ? 7 * n : n;
    if (n === 0 || (unit !== 'h' && days > 365)) return null;
    return { label: `In ${n} ${UNITS[unit]}${n === 1 ? '' : 's'}`, at: unit === 'h' ? hours(today, n) : at(addDays(today, days), MORNING) };
  }
  const day = /^(\d{1,2})\/(\d{1,2})$/.exec(text.trim());
  if (!day) return null;
  const [month, date] = [Number(day[1]) - 1, Number(day[2])];
  const thisYear = new Date(today.getFullYear(), month, date, MORNING);
  const wake = thisYear > today ? thisYear : new Date(today.getFullYear() + 1, month, date, MORNING);
  return wake.getMonth() === month && wake.getDate() === date ? { label: 'On this day', at: wake } : null;
}
