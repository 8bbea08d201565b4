import { describe, expect, test } from 'vitest';
import { mismatch } from './NpiDialog';
import {
  canChangeReseller,
  FREE,
  inputOf,
  invalidSummary,
  offeredPlans,
  organizationChecks,
  type OrganizationText,
  resellerChange,
  SUBDOMAIN_ERROR,
  tabOf,
  valuesOf,
  npiOf,
  purposeChoices,
} from './rules';

const check = (field: OrganizationText, value: string) => organizationChecks[field]!(value);
const WRONG = 'Please enter a valid value for this field.';

describe('the details of an organization', () => {
  test.each<[OrganizationText, string]>([
    ['name', 'Keystone Home Health'],
    ['name', 'Clínica Łódź'],
    ['name', 'عيادة الشفاء'],
    ['name', "O'Hara & Sons, Inc. (West/East) - No. 2"],
    ['subDomain', 'key-stone1'],
    ['subDomain', 'a'.repeat(63)],
    ['organizationNpi', ''],
    ['organizationNpi', '1234567893'],
    ['primaryPhone', '(555) 010-0155'],
    ['primaryPhone', '(888) 010-0155'],
    ['street', '55 Wheelhouse Lane'],
    ['zip', '43998'],
    ['zip', '43998-1234'],
    ['primaryContactEmail', 'ada@keystone.example'],
  ])('%s may be %s', (field, value) => {
    expect(check(field, value)).toBeNull();
  });
  test.each<[string, OrganizationText, string, string]>([
    ['ADA-R-223', 'name', '', WRONG],
    ['ADA-R-224', 'name', 'x'.repeat(51), WRONG],
    ['ADA-R-225', 'name', 'Key*stone', 'Invalid characters in field: *'],
    ['ADA-R-209', 'subDomain', '', WRONG],
    ['ADA-R-212', 'subDomain', 'key_stone', SUBDOMAIN_ERROR],
    ['ADA-R-210', 'subDomain', 'a'.repeat(64), SUBDOMAIN_ERROR],
    ['ADA-R-215', 'brandId', '', WRONG],
    ['ADA-R-216', 'organizationTypeId', '', WRONG],
    ['ADA-R-217', 'organizationSpecialtyId', '', WRONG],
    ['ADA-R-222', 'hispProviderId', '', WRONG],
    ['ADA-R-234', 'activationStatus', '', WRONG],
    ['ADA-R-218', 'city', ' ', WRONG],
    ['ADA-R-219', 'state', '', WRONG],
    ['ADA-R-220', 'zip', '', WRONG],
    ['ADA-R-221', 'zip', '97201-04181', WRONG],
    ['ADA-R-231', 'organizationNpi', '1234567890', WRONG],
    ['ADA-R-229', 'organizationNpi', '808401234567890', WRONG],
    ['ADA-R-230', 'organizationNpi', '123456789a', WRONG],
    ['ADA-R-233', 'primaryPhone', '(800) 010-0155', WRONG],
    ['ADA-R-226', 'street', 'Wheelhouse', 'A space is required.'],
    ['ADA-R-228', 'street', 'P.O. Box 12', 'Street address cannot be a P.O. Box'],
    ['ADA-R-235', 'unit', 'x'.repeat(256), WRONG],
    ['ADA-R-236', 'primaryContactFirstName', '', WRONG],
    ['ADA-R-237', 'primaryContactFirstName', 'A', WRONG],
    ['ADA-R-238', 'primaryContactLastName', ' ', WRONG],
    ['ADA-R-239', 'primaryContactLastName', 'A', WRONG],
    ['ADA-R-240', 'primaryContactEmail', '', WRONG],
    ['ADA-R-241', 'primaryContactEmail', 'ada', WRONG],
    ['ADA-R-243', 'primaryContactNpi', '123456789a', WRONG],
    ['ADA-R-242', 'primaryContactNpi', '12345678931', WRONG],
    ['ADA-R-244', 'primaryContactNpi', '1234567890', WRONG],
  ])('%s: %s may not be "%s"', (_rule, field, value, text) => {
    expect(check(field, value)).toBe(text);
  });
  test('invalid fields are listed with their names and tabs (ADA-R-075)', () => {
    expect(invalidSummary(['primaryPhone', 'organizationNpi', 'primaryContactEmail'])).toBe(
      'Phone and NPI on Details. Email on Primary Contact.',
    );
    expect([tabOf('street'), tabOf('primaryContactEmail')]).toEqual(['details', 'contact']);
  });
  test('what is sent is trimmed, with digits as phone numbers and the version it is based on', () => {
    const values = {
      ...valuesOf({ name: ' Keystone ', planId: null, primaryPhone: '5550100155' }),
      subDomain: 'KeyStone',
    };
    expect(values).toMatchObject({ primaryPhone: '(555) 010-0155', planId: FREE });
    expect(inputOf(values, 7)).toMatchObject({
      name: 'Keystone',
      subDomain: 'keystone',
      planId: null,
      primaryPhone: '5550100155',
      primaryFax: '',
      networkDbId: null,
      version: 7,
    });
  });
});

describe('plans and resellers', () => {
  const licensing = { id: 'r1', name: 'Copperfield', type: 'Licensing' } as const;
  const other = { id: 'r3', name: 'Cobalt', type: 'Licensing' } as const;
  const affiliate = { id: 'r2', name: 'Bluestem', type: 'Affiliate' } as const;
  const plans = [
    { id: null, name: 'Free', allowedUsers: 3 },
    { id: 'p1', name: 'Standard', allowedUsers: 25 },
    { id: 'p2', name: 'Enterprise', allowedUsers: -1 },
  ];
  test('plans too small for the current users are not offered, except the one in use (ADA-R-193, ADA-R-194)', () => {
    expect(offeredPlans(plans, 30, '').map((p) => p.name)).toEqual(['Enterprise']);
    expect(offeredPlans(plans, 3, '').map((p) => p.name)).toEqual(['Free', 'Standard', 'Enterprise']);
    expect(offeredPlans(plans, 30, FREE).map((p) => p.name)).toEqual(['Free', 'Enterprise']);
  });
  test('the reseller changes only without a paid plan or under a licensing reseller (ADA-R-190)', () => {
    expect(canChangeReseller(null, undefined)).toBe(true);
    expect(canChangeReseller(FREE, undefined)).toBe(true);
    expect(canChangeReseller('p1', undefined)).toBe(false);
    expect(canChangeReseller('p1', licensing)).toBe(true);
    expect(canChangeReseller('p1', affiliate)).toBe(false);
  });
  test('a licensing reseller stays while there are more than three people (ADA-R-188)', () => {
    expect(resellerChange(licensing, undefined, 4)).toEqual({
      kind: 'refused',
      text: "Can't remove Licenser because this organization exceeds the user limit for the free plan.",
    });
  });
  test('without it the organization goes to the free plan (ADA-R-187, ADA-R-189)', () => {
    expect(resellerChange(licensing, affiliate, 3)).toMatchObject({
      resetsPlan: true,
      texts: [
        'Removing a Licensing Reseller will reset the organization to a Free Plan.',
        expect.stringContaining('The reseller has changed.'),
      ],
    });
  });
  test('another licensing reseller only warns (ADA-R-191)', () => {
    expect(resellerChange(licensing, other, 9)).toMatchObject({ kind: 'changed', resetsPlan: false });
    expect(resellerChange(licensing, licensing, 9)).toEqual({ kind: 'none' });
  });
});

test('an NPI result of another number is named (ADA-R-247)', () => {
  expect(mismatch('1234567893', '1999999992')).toBe('Result does not match: Searched for 1234567893. Result was 1999999992.');
});

test('an NPI is looked up by its 10 digits, also with 80840 before them (SES-S-063, SES-R-291)', () => {
  expect(npiOf('808401234567893')).toBe('1234567893');
  expect(npiOf('1234567893')).toBe('1234567893');
  expect(organizationChecks.organizationNpi!('808401234567893')).toBeNull();
  expect(organizationChecks.organizationNpi!('808401234567890')).not.toBeNull();
});

test('purposes of use that were retired or never listed stay where they were chosen', () => {
  const purposes = [
    { code: 'TREAT', name: 'Treatment', isRetired: false },
    { code: 'HMARKT', name: 'Healthcare marketing', isRetired: true },
  ];
  expect(purposeChoices(purposes, []).map((c) => c.value)).toEqual(['TREAT']);
  expect(purposeChoices(purposes, ['HMARKT', 'OWN'])).toEqual([
    { value: 'TREAT', label: 'Treatment (TREAT)' },
    { value: 'HMARKT', label: 'Healthcare marketing (HMARKT)' },
    { value: 'OWN', label: 'OWN' },
  ]);
});
