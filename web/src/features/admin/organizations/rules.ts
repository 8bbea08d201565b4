import type { Organization, OrganizationInput, Plan, Reseller } from '@/api/types';
import { OrganizationForm } from '@/api/limits.gen';
import { formatPhone } from '@/shared/format';
import type { FormTab } from './search';
import { type Check, checkAll, DEFAULT_FIELD_ERROR, digitsOnly, required } from '@/shared/rules/fields';
import { limitError } from '@/shared/rules/limits';

export const SUBDOMAIN_ERROR =
  'This subdomain already exists, contains invalid characters or is a reserved word, please enter a different one.';

/** The choice for the plan without an id. */
export const FREE = 'free';
const FREE_PLAN_USERS = 3;
const UNLIMITED = -1;

export type OrganizationValues = {
  name: string;
  subDomain: string;
  brandId: string;
  organizationTypeId: string;
  organizationSpecialtyId: string;
  organizationNpi: string;
  organizationEmr: string;
  preferredGroupName: string;
  resellerId: string;
  /** '' while none is chosen. */
  planId: string;
  activationStatus: string;
  street: string;
  unit: string;
  city: string;
  state: string;
  zip: string;
  primaryPhone: string;
  primaryFax: string;
  hispProviderId: string;
  networkDbId: string;
  primaryContactFirstName: string;
  primaryContactLastName: string;
  primaryContactEmail: string;
  primaryContactTitle: string;
  primaryContactNpi: string;
  phone: string;
  enabledFeatures: string[];
  allowedPurposeOfUseCodes: string[];
};
export type OrganizationField = keyof OrganizationValues;
export type OrganizationList = 'enabledFeatures' | 'allowedPurposeOfUseCodes';
/** Fields of one line. */
export type OrganizationText = Exclude<OrganizationField, OrganizationList>;

const CONTACT_FIELDS: readonly string[] = [
  'primaryContactFirstName',
  'primaryContactLastName',
  'primaryContactEmail',
  'primaryContactTitle',
  'primaryContactNpi',
  'phone',
];
export const tabOf = (field: string): FormTab => (CONTACT_FIELDS.includes(field) ? 'contact' : 'details');

export const LABELS: Record<OrganizationField, string> = {
  name: 'Name',
  subDomain: 'Subdomain',
  brandId: 'Brand',
  organizationTypeId: 'Type',
  organizationSpecialtyId: 'Specialty',
  organizationNpi: 'NPI',
  organizationEmr: 'EMR',
  preferredGroupName: 'Preferred group name',
  resellerId: 'Reseller',
  planId: 'Plan',
  activationStatus: 'Activation status',
  street: 'Street',
  unit: 'Unit',
  city: 'City',
  state: 'State',
  zip: 'Zip',
  primaryPhone: 'Phone',
  primaryFax: 'Fax',
  hispProviderId: 'HISP provider',
  networkDbId: 'Network',
  primaryContactFirstName: 'First name',
  primaryContactLastName: 'Last name',
  primaryContactEmail: 'Email',
  primaryContactTitle: 'Title',
  primaryContactNpi: 'Contact NPI',
  phone: 'Phone',
  enabledFeatures: 'Features',
  allowedPurposeOfUseCodes: 'Allowed purposes of use',
};

/** The API's error for a field. */
const described =
  (field: OrganizationText & keyof typeof OrganizationForm): Check =>
  (value) =>
    limitError(OrganizationForm[field], value);
const whenFilled =
  (check: Check): Check =>
  (value) =>
    value.trim() ? check(value) : null;

/** Ten digits; the toll-free area code 800 is refused. */
const checkPhone = whenFilled((value) => {
  const digits = digitsOnly(value);
  return digits.length === 10 && !digits.startsWith('800') ? null : DEFAULT_FIELD_ERROR;
});
const must = required();

/** Codes are short words without spaces. */
const checkCodes = (codes: string[]) => (codes.every((c) => /^[A-Za-z0-9_.:-]{1,64}$/.test(c)) ? null : DEFAULT_FIELD_ERROR);

export const organizationChecks: Partial<Record<OrganizationText, Check>> & Record<OrganizationList, (codes: string[]) => string | null> = {
  name: checkAll(must, described('name')),
  subDomain: checkAll(must, described('subDomain')),
  brandId: must,
  organizationTypeId: must,
  organizationSpecialtyId: must,
  organizationNpi: described('organizationNpi'),
  organizationEmr: described('organizationEmr'),
  preferredGroupName: described('preferredGroupName'),
  planId: must,
  activationStatus: must,
  street: checkAll(must, described('street')),
  unit: described('unit'),
  city: described('city'),
  state: described('state'),
  zip: described('zip'),
  primaryPhone: checkPhone,
  primaryFax: described('primaryFax'),
  hispProviderId: must,
  primaryContactFirstName: described('primaryContactFirstName'),
  primaryContactLastName: described('primaryContactLastName'),
  primaryContactEmail: described('primaryContactEmail'),
  primaryContactTitle: described('primaryContactTitle'),
  primaryContactNpi: described('primaryContactNpi'),
  phone: checkPhone,
  enabledFeatures: checkCodes,
  allowedPurposeOfUseCodes: checkCodes,
};

/** The 10 digits of an NPI, without the prefix of health applications. */
export const npiOf = (value: string) => (/^80840\d{10}$/.test(value) ? value.slice(5) : value);

const isActivated = (o: Partial<Organization>) => o.activationStatus === 'Activated';

export function valuesOf(o: Partial<Organization> & { id?: string }): OrganizationValues {
  const text = (v: string | null | undefined) => v ?? '';
  const phone = (v: string | null | undefined) => formatPhone(v) || text(v);
  return {
    name: text(o.name),
    subDomain: text(o.subDomain),
    brandId: text(o.brandId),
    organizationTypeId: text(o.organizationTypeId),
    organizationSpecialtyId: text(o.organizationSpecialtyId),
    organizationNpi: text(o.organizationNpi),
    organizationEmr: text(o.organizationEmr),
    preferredGroupName: text(o.preferredGroupName),
    resellerId: text(o.resellerId),
    // An existing organization always has a plan; without an id it is the free one.
    planId: o.planId ?? FREE,
    activationStatus: isActivated(o) ? 'Activated' : 'NotActivated',
    street: text(o.street),
    unit: text(o.unit),
    city: text(o.city),
    state: text(o.state),
    zip: text(o.zip),
    primaryPhone: phone(o.primaryPhone),
    primaryFax: phone(o.primaryFax),
    hispProviderId: text(o.hispProviderId),
    networkDbId: text(o.networkDbId),
    primaryContactFirstName: text(o.primaryContactFirstName),
    primaryContactLastName: text(o.primaryContactLastName),
    primaryContactEmail: text(o.primaryContactEmail),
    primaryContactTitle: text(o.primaryContactTitle),
    primaryContactNpi: text(o.primaryContactNpi),
    phone: phone(o.phone),
    enabledFeatures: o.enabledFeatures ?? [],
    allowedPurposeOfUseCodes: o.allowedPurposeOfUseCodes ?? [],
  };
}

/** Trimmed; an empty choice is null. Includes the version that the change is based on. */
export function inputOf(v: OrganizationValues, version: number | undefined): OrganizationInput {
  const texts = Object.fromEntries(
    Object.entries(v).map(([k, value]) => [k, typeof value === 'string' ? value.trim() : value]),
  ) as OrganizationValues;
  const choice = (value: string) => value || null;
  return {
    ...texts,
    subDomain: texts.subDomain.toLowerCase(),
    resellerId: choice(v.resellerId),
    networkDbId: choice(v.networkDbId),
    planId: v.planId === FREE ? null : choice(v.planId),
    activationStatus: v.activationStatus === 'Activated' ? 'Activated' : 'NotActivated',
    primaryPhone: digitsOnly(v.primaryPhone),
    primaryFax: digitsOnly(v.primaryFax),
    phone: digitsOnly(v.phone),
    ...(version === undefined ? {} : { version }),
  };
}

// ── Plans and resellers ────────────────────────────────────────────────

/** Plans with room for the current users, and the one in use. */
export const offeredPlans = <P extends Pick<Plan, 'id' | 'allowedUsers'>>(plans: P[], users: number, current: string) =>
  plans.filter((p) => p.allowedUsers === UNLIMITED || p.allowedUsers >= users || (p.id ?? FREE) === current);

type Purpose = { code: string; name: string; isRetired: boolean };
/** The offered purposes of use, and those chosen before, even if no longer in the list. */
export function purposeChoices(purposes: readonly Purpose[], chosen: readonly string[]) {
  const offered = purposes.filter((p) => !p.isRetired || chosen.includes(p.code));
  const unknown = chosen.filter((code) => !purposes.some((p) => p.code === code));
  return [
    ...offered.map((p) => ({ value: p.code, label: `${p.name} (${p.code})` })),
    ...unknown.map((code) => ({ value: code, label: code })),
  ];
}

const isLicensing = (reseller: Reseller | undefined) => reseller?.type === 'Licensing';

/** Whether the reseller can change: only without a paid plan, or under a licensing reseller. */
export const canChangeReseller = (savedPlan: string | null, savedReseller: Reseller | undefined) =>
  savedPlan === null || savedPlan === FREE || isLicensing(savedReseller);

const RESELLER_TEXTS = {
  changed:
    'The reseller has changed. You will need to ensure the subscription in a subscription billing service is updated to reflect this change.',
  refused: "Can't remove Licenser because this organization exceeds the user limit for the free plan.",
  toFree: 'Removing a Licensing Reseller will reset the organization to a Free Plan.',
} as const;

export type ResellerChange =
  | { kind: 'refused'; text: string }
  | { kind: 'changed'; resetsPlan: boolean; texts: string[] }
  | { kind: 'none' };

/** The effect of choosing another reseller, compared with the saved one. */
export function resellerChange(saved: Reseller | undefined, next: Reseller | undefined, users: number): ResellerChange {
  if (saved?.id === next?.id) return { kind: 'none' };
  const losesLicenser = isLicensing(saved) && !isLicensing(next);
  if (losesLicenser && users > FREE_PLAN_USERS) return { kind: 'refused', text: RESELLER_TEXTS.refused };
  return {
    kind: 'changed',
    resetsPlan: losesLicenser,
    texts: losesLicenser ? [RESELLER_TEXTS.toFree, RESELLER_TEXTS.changed] : [RESELLER_TEXTS.changed],
  };
}

/** `Phone and NPI on Details. Email on Primary Contact.` */
export function invalidSummary(fields: string[]): string {
  const words = (names: string[]) => (names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${names.at(-1)}` : (names[0] ?? ''));
  return TABS.map((t) => ({
    tab: t.label,
    names: fields.filter((f) => tabOf(f) === t.value).map((f) => LABELS[f as OrganizationField] ?? f),
  }))
    .filter((t) => t.names.length > 0)
    .map((t) => `${words(t.names)} on ${t.tab}.`)
    .join(' ');
}

export const TABS: { value: FormTab; label: string }[] = [
  { value: 'details', label: 'Details' },
  { value: 'contact', label: 'Primary Contact' },
];
