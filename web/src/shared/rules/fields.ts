/** Checks shared by forms. Each answers the text to show under the field, or null when the value is good. */

export const DEFAULT_FIELD_ERROR = 'Please enter a valid value for this field.';
export const DESCRIPTION_MAX = 255;

/** An error for a text that is too long; null if it fits. */
export const tooLong = (value: string | null | undefined, max: number): string | null => {
  const { length } = [...(value ?? '').trim()];
  return length > max ? `At most ${max} characters; these are ${length}.` : null;
};

export type Check = (value: string) => string | null;

export const required =
  (text = DEFAULT_FIELD_ERROR): Check =>
  (value) =>
    value.trim() ? null : text;

/** At least one of a group of fields is filled. */
export const anyFilled = (values: (string | null | undefined)[]) => values.some((v) => Boolean(v?.trim()));

export const checkAll =
  (...checks: Check[]): Check =>
  (value) => {
    for (const check of checks) {
      const text = check(value);
      if (text) return text;
    }
    return null;
  };

const luhn = (digits: string) => {
  let sum = 0;
  [...digits].reverse().forEach((c, i) => {
    const d = Number(c) * (i % 2 ? 2 : 1);
    sum += d > 9 ? d - 9 : d;
  });
  return sum % 10 === 0;
};

/** National provider identifier: 10 digits, or 15 beginning with 80840, with a Luhn check digit. Empty is valid. */
export function isNpi(value: string): boolean {
  if (!value) return true;
  if (/^\d{10}$/.test(value)) return luhn(`80840${value}`);
  return /^80840\d{10}$/.test(value) && luhn(value);
}
export const checkNpi: Check = (value) => (isNpi(value.trim()) ? null : DEFAULT_FIELD_ERROR);

/** A LOINC code, whose last digit checks the others. */
export const isLoinc = (value: string) => /^\d{1,7}-\d$/.test(value) && luhn(value.replace('-', ''));

/** Characters allowed in a Direct address, besides the @ between local part and domain. */
const DIRECT_CHARACTERS = /^[A-Za-z0-9.!#$_%&/`'|{}=?*+^~-]*$/;

export function directAddressError(value: string): string | null {
  const parts = value.split('@');
  if (parts.length > 2 || !parts.every((p) => DIRECT_CHARACTERS.test(p))) return 'Direct Address contains invalid character.';
  if (value.includes('..')) return "Direct Address can't have consecutive period character.";
  if (parts.some((p) => p.startsWith('.') || p.endsWith('.'))) return "Direct Address can't start or end with period character.";
  return null;
}

/** A complete Direct address: both parts present, and a domain of at least two labels. */
export const isDirectAddress = (value: string) => directAddressError(value) === null && /^[^@]+@[^@.]+(\.[^@.]+)+$/.test(value);

/** An object identifier, with or without `urn:oid:`. */
export const isOid = (value: string) => /^(urn:oid:)?[0-2](\.(0|[1-9]\d*))+$/.test(value);

export const isEmail = (value: string) => /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(value);

export const USERNAME_TEXTS = {
  notValid: 'Username is not valid',
  exists: 'Username already exists',
  available: 'Username is available',
} as const;
export const isUsername = isEmail;

const digitsOf = (value: string) => value.replace(/\D/g, '');
const TOLL_FREE = ['800', '888', '877', '866', '855', '844'];

/** Of another country, as documents write it: +, country code and number. */
export const isForeignPhone = (value: string) => /^\+[2-9]/.test(value.trim());

/** Optional leading digit, area code, 3 and 4 digits; toll-free area codes are refused. Abroad up to 15 digits (E.164). */
export function isPhone(value: string): boolean {
  const digits = digitsOf(value);
  if (!/^[\d\s().+-]*$/.test(value)) return false;
  if (isForeignPhone(value)) return digits.length >= 7 && digits.length <= 15;
  const ten = digits.length === 11 ? digits.slice(1) : digits;
  return ten.length === 10 && !TOLL_FREE.includes(ten.slice(0, 3));
}

/** The stored form of a number: its digits, or unchanged if from another country. */
export const stripPhone = (value: string) => (isForeignPhone(value) ? value : digitsOf(value));

/** 7 or more digits, optionally with an extension such as `x12`. */
export const isFaxNumber = (value: string) =>
  /^\+?[\d\s().-]*$/.test(value.replace(/\s*(x|ext\.?)\s*\d+$/i, '')) && digitsOf(value.replace(/\s*(x|ext\.?)\s*\d+$/i, '')).length >= 7;

/** Digits only, unless it is an address with an @. */
export const stripFax = (value: string) => (value.includes('@') ? value.trim() : digitsOf(value));

export const isIpv4 = (value: string) =>
  /^(\d{1,3})(\.\d{1,3}){3}$/.test(value) && value.split('.').every((p) => Number(p) <= 255 && String(Number(p)) === p);

/** https with a host, localhost or an address, with optional port and path. http only where the host is this machine. */
export function isSecureUrl(value: string): boolean {
  const m = /^(https?):\/\/([a-z0-9.-]+)(?::(\d{1,5}))?(\/\S*)?$/i.exec(value);
  if (!m) return false;
  const host = m[2]!.toLowerCase();
  const named = host === 'localhost' || isIpv4(host) || /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/.test(host);
  const port = m[3] === undefined ? 1 : Number(m[3]);
  return named && port >= 1 && port <= 65_535 && (m[1]!.toLowerCase() === 'https' || host === 'localhost' || host === '127.0.0.1');
}

const PO_BOX = /\b(p\.?\s*o\.?|post(\s+office)?)\s*box\b/i;
const STREET = /^[\p{L}\p{M}\p{N} .,:;'’"#/&()°ºª+-]*\p{L}[\p{L}\p{M}\p{N} .,:;'’"#/&()°ºª+-]*$/u;
export const checkStreet: Check = (value) => (PO_BOX.test(value) ? 'Street address cannot be a P.O. Box' : null);
/** Error of a street address, in the server's words (`platform/src/fields.rs`). */
export const streetError = (value: string) => checkStreet(value) ?? (STREET.test(value) ? null : DEFAULT_FIELD_ERROR);

/** Characters that every system accepts, such as sign-in systems. */
const ALLOWED = /[\w\s.,;:!?'"()[\]{}@#$%&*+\-/\\=^~|<>`]/;
export const checkCharacters: Check = (value) => {
  const bad = [...new Set([...value].filter((c) => !ALLOWED.test(c)))];
  return bad.length ? `Invalid characters in field: ${bad.join(' ')}` : null;
};
/** Names that other programs read too. */
export const isEditableName = (value: string) => /^[A-Za-z0-9._\- ]*$/.test(value);

/** Trimmed, without empty entries and duplicates. */
export const cleanTags = (tags: string[]) => [...new Set(tags.map((t) => t.trim()).filter(Boolean))];

export const digitsOnly = (value: string, max?: number) => digitsOf(value).slice(0, max);
