import type { Patient } from '@/api/types';
import { parseDate } from '@/shared/rules/dates';

const GENDER: Record<string, string> = { f: 'F', female: 'F', m: 'M', male: 'M', un: 'UN', undifferentiated: 'UN' };

/** `rivera` as `Rivera`; text that contains capitals is unchanged. */
const named = (words: string[], isPlain: boolean) =>
  words.map((word) => (isPlain ? word.charAt(0).toUpperCase() + word.slice(1) : word)).join(' ');

/**
 * A patient typed in one line, such as `Rivera, Marisol 4/12/1970 f` or `Marisol Rivera 04/12/70`. Nothing without both names.
 */
export function typedPatient(text: string, today: Date): Patient | null {
  const patient: Patient = {};
  const rest: string[] = [];
  for (const word of text.trim().split(/\s+/).filter(Boolean)) {
    const date = /\d/.test(word) ? parseDate(word, { today }) : null;
    const gender = rest.length > 1 ? GENDER[word.toLowerCase()] : undefined;
    if (date) patient.birthDate = date;
    else if (gender) patient.gender = gender;
    else rest.push(word);
  }
  if (rest.some((word) => /\d/.test(word))) return null;
  const comma = rest.findIndex((word) => word.endsWith(','));
  const [first, last] =
    comma >= 0
      ? [rest.slice(comma + 1), [...rest.slice(0, comma), rest[comma]!.slice(0, -1)].filter(Boolean)]
      : [rest.slice(0, -1), rest.slice(-1)];
  if (first.length === 0 || last.length === 0) return null;
  const isPlain = text === text.toLowerCase();
  return { ...patient, firstName: named(first, isPlain), lastName: named(last, isPlain) };
}
