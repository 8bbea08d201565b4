import { now } from '@/shared/clock';
import { addDays, isoDate } from '@/shared/rules/dates';

/** The list starts this many days back unless a range is chosen. */
export const DEFAULT_DAYS_BACK = 30;
export const defaultStart = (today = now()) => isoDate(addDays(today, -DEFAULT_DAYS_BACK));
