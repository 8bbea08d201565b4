import { now } from '@/shared/clock';
import { addDays, endOfDay, isoDate, startOfDay } from '@/shared/rules/dates';

type Days = { start: string; end: string };

/** Today and yesterday, as people here count them. */
export const usualDays = (): Days => ({ start: isoDate(addDays(now(), -1)), end: isoDate(now()) });

/** Days as the server takes them. */
export const spanOf = ({ start, end }: Days) => ({ start: startOfDay(start), end: endOfDay(end) });
