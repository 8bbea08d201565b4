import type { ReactNode } from 'react';
import { isIsoDate, showDate } from '../rules/dates';
import { DateInput } from './DateInput';
import type { Field } from './fields';

type Options = Pick<Field<string | null>, 'when' | 'required' | 'half'> & {
  description?: ReactNode;
  initial?: string | null;
  check?: (value: string | null, values: Record<string, unknown>) => string | null;
};

/** A day, as `YYYY-MM-DD`. Input that is not a day stays to be corrected. */
export const dateField = (label: string, { check, initial = null, ...options }: Options = {}): Field<string | null> => ({
  ...options,
  label,
  initial,
  show: (value) => (value ? showDate(value) : 'none'),
  check: (value, values) => (value && !isIsoDate(value) ? 'Please enter a date such as 12/31/2026.' : (check?.(value, values) ?? null)),
  control: (props, bound) => <DateInput allowFuture keepInvalid {...props} {...bound} />,
});
