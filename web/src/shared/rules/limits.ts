import type { Limit } from '@/api/limits';
import { DEFAULT_FIELD_ERROR, isEmail, isLoinc, isNpi, isOid, isSecureUrl, streetError } from './fields';

const TEN_DIGITS = /^(?:[ ().+-]*\d){10}[ ().+-]*$/;
/** Checks that a pattern cannot express, by their names in the API description. */
const formats: Record<string, (text: string) => boolean> = {
  email: isEmail,
  npi: isNpi,
  oid: isOid,
  loinc: isLoinc,
  'secure-url': isSecureUrl,
  phone: (text) => TEN_DIGITS.test(text),
};

function fits(limit: Limit, value: string | number | boolean): boolean {
  if (limit.enum && !limit.enum.some((choice) => choice === value)) return false;
  if (typeof value === 'number') return value >= (limit.minimum ?? -Infinity) && value <= (limit.maximum ?? Infinity);
  if (typeof value === 'boolean') return true;
  const { length } = [...value];
  return (
    length >= (limit.minLength ?? 0) &&
    length <= (limit.maxLength ?? Infinity) &&
    (!limit.pattern || new RegExp(`^(?:${limit.pattern})$`, 'u').test(value)) &&
    (formats[limit.format ?? '']?.(value) ?? true)
  );
}

/** The error of a value in the server's words, or null. Each entry of a list is checked separately. */
export function limitError(limit: Limit | undefined, value: unknown): string | null {
  if (!limit) return null;
  const message = limit.message ?? DEFAULT_FIELD_ERROR;
  if (Array.isArray(value)) return value.some((entry) => limitError(limit, entry) !== null) ? message : null;
  const given = typeof value === 'string' ? value.trim() : value;
  if (given === null || given === undefined || given === '') return limit.required ? message : null;
  if (!fits(limit, given as string | number | boolean)) return message;
  const said = limit.format === 'street' && typeof given === 'string' ? streetError(given) : null;
  if (said) return said;
  return limit.characters && typeof given === 'string' ? charactersError(limit.characters, given) : null;
}

function charactersError(characters: string, text: string): string | null {
  const allowed = new RegExp(characters, 'u');
  const wrong = [...new Set(text)].filter((c) => !allowed.test(c)).sort();
  return wrong.length ? `Invalid characters in field: ${wrong.join(' ')}` : null;
}
