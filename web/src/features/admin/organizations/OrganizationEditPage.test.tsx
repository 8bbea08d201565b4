import { useLocation } from '@tanstack/react-router';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';
import { HELP } from '@/shared/help';
import { answer, refusal } from '@/test/answers';
import { choose, fill, press, shows, textbox } from '@/test/acts';
import { renderConsole } from '@/test/console';
import { held } from '@/test/held';
import { AddOrganizationPage, OrganizationEditPage } from './OrganizationEditPage';
import type { FormTab, TabName } from './search';

const organization = {
  id: 'o',
  name: 'Larkfield',
  subDomain: 'larkfield',
  brandId: 'b',
  organizationTypeId: 't',
  organizationSpecialtyId: 's',
  organizationNpi: '',
  organizationEmr: '',
  preferredGroupName: 'Copperfield Group',
  resellerId: null,
  planId: null,
  numberOfUsers: 2,
  activationStatus: 'Activated',
  street: '7 Quay Street',
  unit: '',
  city: 'Harborline',
  state: 'OH',
  zip: '43998',
  primaryPhone: '',
  primaryFax: '',
  hispProviderId: 'h',
  primaryContactFirstName: 'Ines',
  primaryContactLastName: 'Quill',
  primaryContactEmail: 'ines@quayside.example',
  primaryContactTitle: '',
  primaryContactNpi: '',
  phone: '',
  networkDbId: null,
  enabledFeatures: ['DirectInterface'],
  allowedPurposeOfUseCodes: [],
  isEnabled: true,
  createdBy: 'ops',
  createDate: '2026-11-01T08:00:00Z',
  modifiedBy: 'second operator',
  modifiedDate: '2026-11-02T08:00:00Z',
  version: 4,
};
const feature = { name: 'DirectInterface', enabled: true, isOrganizationFeature: true };
const licensing = { id: 'r', name: 'Copperfield', type: 'Licensing' };
/** The lists that the form chooses from. */
let asked: { types: unknown[]; specialties: unknown[]; providers: { query: URLSearchParams }[] };

/** The data on the server. */
let saved: object;
const features = (change: object = {}) =>
  answer('get', '/api/admin/features', {
    items: [
      { ...feature, ...change },
      { ...feature, name: 'IntakeCdaViewer' },
    ],
    totalCount: 2,
    totalIsCapped: false,
  } as never);

beforeEach(() => {
  saved = organization;
  // Before the lists, whose paths it fits too.
  answer('get', '/api/organizations/{id}', () => saved as never);
  features();
  answer('get', '/api/admin/brands', { data: [{ id: 'b', name: 'Carepost' }], totalCount: 1 } as never);
  answer('get', '/api/organizations/resellers', { items: [licensing] } as never);
  answer('get', '/api/organizations/plans', {
    items: [
      { id: null, name: 'Free', allowedUsers: 3 },
      { id: 'p', name: 'Practice', allowedUsers: 25 },
    ],
  } as never);
  answer('get', '/api/networks', { items: [], totalCount: 0, totalIsCapped: false });
  answer('get', '/api/query/purposesofuse', { items: [{ code: 'TREAT', name: 'Treatment', isRetired: false }] } as never);
  answer('get', '/api/subscriptionplans/subscriptions', { status: 'Active' } as never);
  answer('get', '/api/organizations/subdomain/exists', { exists: false });
  answer('get', '/api/organizations/subdomain/isvalid', { isValid: true });
  const one = (id: string, name: string) => ({ items: [{ id, name, isRetired: false }] }) as never;
  asked = {
    types: answer('get', '/api/organizations/types', one('t', 'Clinic')),
    specialties: answer('get', '/api/organizations/specialties', one('s', 'Cardiology')),
    providers: answer('get', '/api/admin/documentsources/documentsourceproviders', one('h', 'Carepost Direct')),
  };
});

/** The screens of organizations, as their routes show them. */
function Screens() {
  const [, , , id, tab] = useLocation({ select: (l) => l.pathname }).split('/');
  if (id === 'add') return <AddOrganizationPage tab={tab as FormTab} />;
  return id ? <OrganizationEditPage id={id} tab={tab as TabName} /> : <p>The list</p>;
}
async function open(path: string) {
  const router = renderConsole(<Screens />, { address: `/admin/organizations/${path}` });
  await screen.findByRole('button', { name: 'Save Changes' });
  return { router, form: document.body };
}
const tabs = () => screen.getAllByRole('tab', { hidden: true }).map((tab) => tab.textContent);
const leaves = () => shows('The list');

test.each([
  ['off', { enabled: false }, [], 0],
  ['on for all', { isOrganizationFeature: false }, [], 1],
  ['on for others', {}, [], 0],
  ['on for it', {}, organization.enabledFeatures, 1],
])('the tab Direct follows its feature, which is %s (ADA-R-074)', async (_what, change, enabledFeatures, count) => {
  saved = { ...organization, enabledFeatures };
  features(change);
  // No field of the open tab is required.
  held('*/api/account/settings/security', {});
  renderConsole(<OrganizationEditPage id="o" tab="ipaddresses" />);
  await screen.findByRole('tab', { name: 'QHIN' });
  await expect.poll(() => screen.queryAllByRole('tab', { name: 'Direct' }).length).toBe(count);
});

test('a new organization has the tabs Details and Primary Contact, and Cancel leads back to the list (ADA-S-004, ADA-R-045, ADA-R-077, ADA-T-001, ADA-T-020, ADA-T-021, ADA-T-032)', async () => {
  const { router, form } = await open('add/details');
  expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Add Organization');
  expect(tabs()).toEqual(['Details', 'Primary Contact']);
  fireEvent.click(screen.getByRole('tab', { name: 'Primary Contact' }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/admin/organizations/add/contact'));
  await press('Cancel', form);
  await leaves();
});

test('an organization is loaded before its tabs show under its name, among them those that a new one lacks (ADA-S-005, ADA-R-047, ADA-R-070, ADA-R-071, ADA-R-072, ADA-T-002, ADA-T-026, ADA-T-028, ADA-T-030, ADA-T-031)', async () => {
  const release = held('*/api/organizations/o', organization);
  renderConsole(<Screens />, { address: '/admin/organizations/o/details' });
  expect(await screen.findByRole('status', { name: 'Loading' })).toBeInTheDocument();
  expect(screen.queryByRole('tab')).toBeNull();
  release();
  expect(await screen.findByRole('heading', { level: 1, name: 'Larkfield' })).toBeInTheDocument();
  expect(tabs()).toEqual([
    'Details',
    'Primary Contact',
    'Fax',
    'Direct',
    'Settings',
    'Service Accounts',
    'Carequality',
    'QHIN',
    'Saved addresses',
    'Info',
    'IP Addresses',
  ]);
  expect(screen.getByRole('button', { name: 'Save Changes' })).toBeInTheDocument();
});

test('Details and Primary Contact hold every field, with masks and limits (ADA-S-006, ADA-S-007, ADA-R-232)', async () => {
  const { form } = await open('o/details');
  // By label: queries by role take seconds.
  const fields = (): Record<string, HTMLInputElement> =>
    Object.fromEntries(
      Array.from(form.querySelectorAll<HTMLInputElement>('input:not([type=hidden])'), (field) => [
        field.labels?.[0]?.textContent?.replace(' *', ''),
        field,
      ]),
    );
  const limits = () => Object.entries(fields()).flatMap(([label, { maxLength }]) => (maxLength > 0 ? [`${label} ${maxLength}`] : []));
  const choices = () => Object.entries(fields()).flatMap(([label, field]) => (field.matches('[aria-haspopup]') ? [label] : []));
  expect(limits()).toEqual([
    'Name 50',
    'Subdomain 63',
    'Street 255',
    'Unit 255',
    'City 255',
    'Zip 10',
    'EMR 255',
    'Preferred group name 255',
  ]);
  expect(choices()).toEqual([
    'Type',
    'Specialty',
    'Brand',
    'Activation status',
    'State',
    'Plan',
    'Reseller',
    'Network',
    'HISP provider',
    'Features',
    'Allowed purposes of use',
  ]);
  expect(fields()['Number of users']).toHaveAttribute('readonly');
  expect(screen.getByRole('button', { name: 'NPI Search' })).toBeInTheDocument();
  // A mask follows the keys.
  await userEvent.type(fields().Phone!, '555');
  expect(fields().Phone).toHaveValue('(555) ');
  const npiOf15 = (field: string) => {
    for (const [typed, shown] of [
      ['12a345', '12345'],
      ['80840 12345 67890 1', '808401234567890'],
    ]) {
      fireEvent.change(fields()[field]!, { target: { value: typed } });
      expect(fields()[field]).toHaveValue(shown);
    }
  };
  npiOf15('NPI');
  expect(screen.getAllByRole('term').map((term) => `${term.textContent}: ${term.nextElementSibling!.textContent}`)).toEqual([
    'Created by: ops',
    expect.stringMatching(/^Create date: .*2026/),
    'Modified by: second operator',
    expect.stringMatching(/^Modified date: .*2026/),
  ]);
  fireEvent.click(screen.getByRole('tab', { name: 'Primary Contact' }));
  await waitFor(() => expect(fields().Email).toHaveValue('ines@quayside.example'));
  expect(limits()).toEqual(['First name 255', 'Last name 255', 'Title 255', 'Email 255']);
  npiOf15('Contact NPI');
});

test('the subdomain is looked at again before an organization is saved; a failed save is told and keeps what was typed (ADA-S-006, ADA-C-005, ADA-R-076, ADA-R-078, ADA-R-080, ADA-R-081, ADA-R-337, ADA-R-338, ADA-T-102, ADA-T-103)', async () => {
  const { form } = await open('o/details');
  fill('Unit', 'Suite 9', form);
  expect(textbox('Preferred group name', form)).toHaveValue('Copperfield Group');
  fill('Preferred group name', 'Northern Group', form);
  await choose('Features', 'IntakeCdaViewer', form);
  await choose('Allowed purposes of use', 'Treatment (TREAT)', form);
  refusal('put', '/api/organizations/{id}', 500);
  await press('Save Changes', form);
  await shows('There was an error saving this organization.');
  expect(textbox('Unit', form)).toHaveValue('Suite 9');
  const order: string[] = [];
  const exists = answer('get', '/api/organizations/subdomain/exists', () => (order.push('exists'), { exists: false }));
  const valid = answer('get', '/api/organizations/subdomain/isvalid', () => (order.push('isvalid'), { isValid: true }));
  const put = answer('put', '/api/organizations/{id}', () => (order.push('put'), organization as never));
  await press('Save Changes', form);
  await shows('The organization was saved successfully.');
  await leaves();
  expect(order.toSorted()).toEqual(['exists', 'isvalid', 'put']);
  expect(order.at(-1)).toBe('put');
  expect(Object.fromEntries(exists[0]!.query)).toEqual({ id: 'o', subdomain: 'larkfield' });
  expect(Object.fromEntries(valid[0]!.query)).toEqual({ organizationId: 'o', subdomain: 'larkfield' });
  expect(put[0]!.body).toMatchObject({
    unit: 'Suite 9',
    preferredGroupName: 'Northern Group',
    enabledFeatures: ['DirectInterface', 'IntakeCdaViewer'],
    allowedPurposeOfUseCodes: ['TREAT'],
    version: 4,
  });
});

test('an organization whose subdomain was taken meanwhile is not saved (ADA-R-078, ADA-R-214)', async () => {
  const { form } = await open('o/details');
  answer('get', '/api/organizations/subdomain/isvalid', { isValid: false });
  const put = answer('put', '/api/organizations/{id}', organization as never);
  await press('Save Changes', form);
  await shows('This subdomain already exists, contains invalid characters or is a reserved word, please enter a different one.');
  await shows('Please fill out all required fields.');
  expect(put).toEqual([]);
});

test('a form with gaps is not saved: the tabs that hold them are flagged, and the first of them has the focus (ADA-R-075, ADA-R-079)', async () => {
  const { form } = await open('add/contact');
  await press('Save Changes', form);
  await shows('Please fill out all required fields.');
  expect(await screen.findByRole('tab', { name: /^Details ?1[01] invalid$/ })).toBeInTheDocument();
  expect(screen.getByRole('tab', { name: /^Primary Contact ?3 invalid$/ })).toBeInTheDocument();
  await waitFor(() => expect(textbox('First name', form)).toHaveFocus());
});

test('the field of the reseller explains what a reseller is (MSG-S-078)', async () => {
  const { form } = await open('o/details');
  expect(within(form).getByRole('combobox', { name: 'Reseller' })).toBeInTheDocument();
  expect(within(form).getByRole('button', { name: HELP.reseller })).toBeInTheDocument();
});

test('without a licensing reseller an organization falls back to the free plan, and both changes are warned of (ADA-R-187, ADA-R-189, ADA-R-191, ADA-T-106, ADA-T-108)', async () => {
  saved = { ...organization, resellerId: 'r', planId: 'p' };
  const { form } = await open('o/details');
  const reseller = within(form).getByRole('combobox', { name: 'Reseller' });
  await waitFor(() => expect(reseller).toHaveValue('Copperfield'));
  await userEvent.clear(reseller);
  await userEvent.tab();
  await shows('Removing a Licensing Reseller will reset the organization to a Free Plan.');
  await shows(
    'The reseller has changed. You will need to ensure the subscription in a subscription billing service is updated to reflect this change.',
  );
  expect(within(form).getByRole('combobox', { name: /^Plan/ })).toHaveValue('Free');
  const put = answer('put', '/api/organizations/{id}', organization as never);
  await press('Save Changes', form);
  await leaves();
  expect(put[0]!.body).toMatchObject({ resellerId: null, planId: null });
});

test('what a form chooses from is asked for once, and HISP providers by their type (ADA-R-328, ADA-R-329, ADA-R-330, ADB-R-246)', async () => {
  const { router } = await open('add/details');
  await waitFor(() => expect(asked.types.length * asked.specialties.length * asked.providers.length).toBe(1));
  await router.navigate({ href: '/admin/organizations' });
  await leaves();
  await router.navigate({ href: '/admin/organizations/o/details' });
  await waitFor(() => expect(screen.getByRole('combobox', { name: /^Type/ })).toHaveValue('Clinic'));
  expect([asked.types.length, asked.specialties.length, asked.providers.length]).toEqual([1, 1, 1]);
  expect(Object.fromEntries(asked.providers[0]!.query)).toEqual({ pageNumber: '1', pageSize: '20', type: 'DirectMessaging' });
});

test('a form whose choices could not be loaded says so, and tries again', async () => {
  refusal('get', '/api/networks', 503);
  await open('add/details');
  const failed = await screen.findByRole('alert');
  expect(failed).toHaveTextContent('The choices could not be loaded.');
  answer('get', '/api/networks', { items: [], totalCount: 0, totalIsCapped: false });
  await press('Try again', failed);
  await waitFor(() => expect(failed).not.toBeInTheDocument());
});
