import type { IdentityInput, Profile, QuizQuestion } from '@/api/types';
import { isIsoDate, showDate } from '@/shared/rules/dates';
import { anyFilled, type Check, checkAll, checkStreet, DEFAULT_FIELD_ERROR, digitsOnly, required } from '@/shared/rules/fields';

export const START_MS = 1000;
export const STEPS = 6;

export type Step = 'terms' | 'welcome' | 'intro' | 'identity' | 'quiz' | 'decision' | 'activation';
/** Steps without state on the server; the tab remembers them. */
export type Kept = 'welcome' | 'intro' | 'identity';
export const isKept = (text: string | null): text is Kept => text === 'welcome' || text === 'intro' || text === 'identity';

type Subject = Pick<
  Profile,
  | 'isAdmin'
  | 'mustAcceptTerms'
  | 'orgIsAcceptedEULA'
  | 'orgIsIdProofed'
  | 'orgIsActivated'
  | 'orgIsCancelled'
  | 'idProofedAttemptDate'
  | 'activationNoticeDismissed'
>;

/** Where a user starts, or continues after a step. `seen` is the flag of this browser session. */
export function stepFor(profile: Subject, kept: Kept | null, seen: boolean): Step | null {
  if (profile.mustAcceptTerms) return 'terms';
  if (!profile.isAdmin || profile.orgIsCancelled) return null;
  if (!profile.orgIsAcceptedEULA) return 'terms';
  if (!profile.orgIsIdProofed) return profile.idProofedAttemptDate ? 'decision' : (kept ?? 'welcome');
  if (!profile.orgIsActivated && !profile.activationNoticeDismissed && !seen) return 'activation';
  return null;
}

// ── The identity form ──

export type AddressValues = { addressLine: string; addressUnit: string; city: string; state: string; zip: string };
export type IdentityValues = {
  firstName: string;
  lastName: string;
  /** `YYYY-MM-DD`, or what was typed. */
  dateOfBirth: string;
  ssn: string;
  phoneNumber: string;
  currentAddress: AddressValues;
  formerAddress: AddressValues;
};
const emptyAddress = (): AddressValues => ({ addressLine: '', addressUnit: '', city: '', state: '', zip: '' });
export const emptyIdentity = (): IdentityValues => ({
  firstName: '',
  lastName: '',
  dateOfBirth: '',
  ssn: '',
  phoneNumber: '',
  currentAddress: emptyAddress(),
  formerAddress: emptyAddress(),
});

export const TEXT_MAX = 255;
export const ZIP_MAX = 10;
const SSN_FORMATS = 'Please enter your SSN in one of the following formats: xxx-xx-xxxx or xxxxxxxxx';

const short =
  (max: number): Check =>
  (value) =>
    value.length > max ? DEFAULT_FIELD_ERROR : null;
const text = (missing: string, max = TEXT_MAX) => checkAll(required(missing), short(max));
/** As the server checks it: letters, and the separators allowed in names. */
const NAME = /^[\p{Alphabetic} '’.,-]*\p{Alphabetic}[\p{Alphabetic} '’.,-]*$/u;
const name =
  (wrong: string): Check =>
  (value) =>
    NAME.test(value.trim()) ? null : wrong;

export const checkSsn: Check = (value) => (!value || /^(\d{9}|\d{3}-\d{2}-\d{4})$/.test(value.trim()) ? null : SSN_FORMATS);
const checkPhone: Check = (value) => (!value || digitsOnly(value).length === 10 ? null : 'Phone Number is invalid');
const checkDate: Check = (value) => (isIsoDate(value) ? null : 'Date of Birth is invalid');

const address = {
  addressLine: checkAll(text('Address is required.'), checkStreet),
  addressUnit: short(TEXT_MAX),
  city: text('City is required.'),
  state: text('State is required.'),
  zip: text('Zip is required.', ZIP_MAX),
};
export const isFilled = (values: AddressValues) => anyFilled(Object.values(values));

/** The former address is asked for only once any of it is filled. */
const former =
  (check: Check) =>
  (value: string, values: IdentityValues): string | null =>
    isFilled(values.formerAddress) ? check(value) : null;

export const identityChecks = {
  firstName: checkAll(text('First Name is required.'), name('First Name is invalid')),
  lastName: checkAll(text('Last Name is required.'), name('Last Name is invalid')),
  dateOfBirth: checkAll(required('Date of Birth is required.'), checkDate),
  ssn: checkSsn,
  phoneNumber: checkPhone,
  currentAddress: address,
  formerAddress: {
    addressLine: former(address.addressLine),
    addressUnit: former(address.addressUnit),
    city: former(address.city),
    state: former(address.state),
    zip: former(address.zip),
  },
};

export const inputOf = (values: IdentityValues): IdentityInput => ({
  ...values,
  dateOfBirth: showDate(values.dateOfBirth),
  formerAddress: isFilled(values.formerAddress) ? values.formerAddress : null,
});

const plain = (values: AddressValues) =>
  [values.addressLine, values.addressUnit, values.city, values.state, values.zip].map((t) => t.toLowerCase().replace(/[^a-z0-9]/g, ''));

/** Both addresses are given and equal. */
export const isDuplicateAddress = ({ currentAddress, formerAddress }: IdentityValues) =>
  Boolean(currentAddress.addressLine.trim()) && plain(currentAddress).join('|') === plain(formerAddress).join('|');

// ── The quiz ──

export const chosenIn = (questions: QuizQuestion[], chosen: Record<string, string>): QuizQuestion[] =>
  questions.map((q) => ({
    ...q,
    answerChoice: (q.answerChoice ?? []).map((c) => ({ ...c, selected: c.value === chosen[q.questionId ?? ''] })),
  }));

/** `9:05` */
export const showSeconds = (seconds: number) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
