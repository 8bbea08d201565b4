import { notifications } from '@mantine/notifications';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';
import { setToken } from '@/api/token';
import type { DirectoryEntry, Organization } from '@/api/types';
import { fromMenu, choose, dialog, fill, press } from '@/test/acts';
import { answer, refusal } from '@/test/answers';
import { renderScreen } from '@/test/render';
import { DirectoryEntries } from './DirectoryEntries';

const ENTRIES = '/api/admin/organizations/{id}/directoryentries';
const HOME = '2.16.840.1.113883.3.9999';
const address = { city: 'Harborline', state: 'OH', country: 'US' };
const larkfield = {
  id: 'o-1',
  name: 'Larkfield Family Medicine',
  street: '12 Mill Lane',
  zip: '43998',
  allowedPurposeOfUseCodes: ['TREATMENT'],
  ...address,
} as unknown as Organization;
const branch: DirectoryEntry = {
  id: 'e-1',
  responderType: 'InitiatorOnly',
  organizationId: `${HOME}.1`,
  homeCommunityId: '',
  displayName: 'Branch',
  legalName: '',
  otherNames: ['Annex'],
  parentOrgId: '2.16.840.1',
  purposeOfUseCodes: ['TREATMENT'],
  address: '7 Quay Street',
  zipCode: '43998',
  isActive: true,
  initiatorOnly: true,
  isParent: false,
  version: 3,
  ...address,
};
const REQUIRED = ['Organization ID', 'Display Name', 'Street', 'City', 'State', 'Zip', 'Country'];
const OPTIONAL = ['Home Community ID', 'Legal Name', 'Parent Organization ID'];

let entries: DirectoryEntry[];
beforeEach(() => {
  setToken({ accessToken: 't', expiresIn: 900 });
  notifications.clean();
  entries = [branch];
  answer('get', ENTRIES, () => ({ items: entries }));
  answer('get', '/api/admin/organizations/{id}/qhin', { homeCommunityId: HOME } as never);
});

const open = async () => {
  renderScreen(<DirectoryEntries organization={larkfield} />);
  await screen.findByText('Branch');
};
const box = (where: HTMLElement, name: string) => within(where).getByRole('textbox', { name });

test('entries are listed by name, OID and parent, with what they are in the network (ADA-S-027, ADA-C-030, ADA-R-090, ADA-R-332, ADA-T-039, ADA-T-046, SES-R-277, SES-T-049)', async () => {
  await open();
  const heads = screen.getAllByRole('columnheader').map((head) => head.textContent);
  expect(heads.slice(0, 3)).toEqual(['Name', 'OID', 'Parent OID']);
  const row = screen.getByText('Branch').closest('tr')!;
  for (const text of [branch.organizationId, branch.parentOrgId, 'Sub-Participant']) expect(row).toHaveTextContent(text);
  for (const name of ['Add', 'Import']) expect(screen.getByRole('button', { name })).toBeInTheDocument();
  await press('Actions for Branch');
  for (const name of ['Edit', 'Deactivate']) expect(await screen.findByRole('menuitem', { name })).toBeInTheDocument();
});

test('a new entry begins with what is known of the organization, and is added with what was typed (ADA-S-028, ADA-C-031, ADA-R-091, ADA-R-092, ADA-R-095, ADA-R-096, ADA-R-098, ADA-R-099, ADA-T-120, SES-R-278, SES-T-042, SES-T-043, SES-T-044, SES-T-045, SES-T-047)', async () => {
  const asked = answer('put', ENTRIES, branch);
  await open();
  await press('Add');
  const form = await dialog('Add Directory Entry');
  await waitFor(() => expect(box(form, 'Organization ID')).toHaveValue(HOME));
  const values = ['Display Name', 'Street', 'City', 'State', 'Zip', 'Country'].map((label) => (box(form, label) as HTMLInputElement).value);
  expect(values).toEqual([larkfield.name, '12 Mill Lane', 'Harborline', 'OH', '43998', 'US']);
  expect(within(form).getByRole('checkbox', { name: 'Active' })).toBeChecked();
  expect(within(form).getByText('TREATMENT')).toBeInTheDocument();
  expect(within(form).getByLabelText('Purpose of Use Codes', { selector: 'input' })).toHaveAttribute('readonly');
  await userEvent.type(within(form).getByLabelText('Other Names', { selector: 'input' }), 'Annex{Enter}');
  await userEvent.click(within(form).getByRole('combobox', { name: 'Responder Type' }));
  const list = await screen.findByRole('listbox', { name: 'Responder Type', hidden: true });
  const options = within(list).getAllByRole('option', { hidden: true });
  expect(options.map((option) => option.textContent)).toEqual([
    'Direct Responder - Repository Owner',
    'Child Location - For Directory Purposes',
    'Gateway Responder - No Repository',
    'Gateway Member - Data Repository',
    'Initiator Only',
  ]);
  await userEvent.click(options.at(-1)!);
  await press('Save', form);
  expect(await screen.findByText('The Directory Entry was added successfully.')).toBeInTheDocument();
  expect(asked[0]!.path).toMatchObject({ id: 'o-1' });
  expect(asked[0]!.body).toMatchObject({ responderType: 'InitiatorOnly', organizationId: HOME, otherNames: ['Annex'], isActive: true });
});

test('an entry is edited on its version (ADA-T-121)', async () => {
  const asked = answer('put', ENTRIES, branch);
  await open();
  await fromMenu('Branch', 'Edit');
  const form = await dialog('Edit Directory Entry');
  fill('Legal Name', 'Larkfield Annex LLC', form);
  await press('Save', form);
  expect(await screen.findByText('The Directory Entry was edited successfully.')).toBeInTheDocument();
  expect(asked[0]!.body).toMatchObject({ id: 'e-1', version: 3, legalName: 'Larkfield Annex LLC', otherNames: ['Annex'] });
});

test('what an entry needs is asked for, and a refusal is said (ADA-R-103, ADA-R-104, ADA-R-105, ADA-R-106, ADA-R-107, ADA-R-108, ADA-R-109, ADA-R-110, ADA-T-122)', async () => {
  const asked = refusal('put', ENTRIES, 500);
  await open();
  await press('Add');
  const form = await dialog('Add Directory Entry');
  await waitFor(() => expect(box(form, 'Organization ID')).toHaveValue(HOME));
  for (const label of REQUIRED) fill(label, '', form);
  await press('Save', form);
  await waitFor(() => expect(box(form, 'Country')).toHaveAttribute('aria-invalid', 'true'));
  for (const label of REQUIRED) expect(box(form, label)).toHaveAttribute('aria-invalid', 'true');
  for (const label of OPTIONAL) expect(box(form, label)).not.toHaveAttribute('aria-invalid', 'true');
  expect(asked).toEqual([]);
  for (const label of REQUIRED) fill(label, label === 'Country' ? 'US' : label === 'Organization ID' ? HOME : '43998', form);
  await choose('Responder Type', 'Initiator Only', form);
  await press('Save', form);
  expect(await screen.findByText('There was an error upserting this entry')).toBeInTheDocument();
});

test.each([
  ['Deactivate', true],
  ['Activate', false],
] as const)(
  '%s is offered, asked and said to have failed (ADA-S-029, ADA-R-101, ADA-T-044, ADA-T-045, ADA-T-124)',
  async (label, isActive) => {
    entries = [{ ...branch, isActive }];
    refusal('put', ENTRIES, 500);
    await open();
    await fromMenu('Branch', label);
    const question = await dialog(`${label} Directory Entry`);
    await press(label, question);
    expect(await screen.findByText('There was an error activating or deactivating this OID.')).toBeInTheDocument();
    const asked = answer('put', ENTRIES, () => {
      entries = [{ ...branch, isActive: !isActive }];
      return entries[0]!;
    });
    await press(label, question);
    await waitFor(() => expect(asked[0]!.body).toMatchObject({ id: 'e-1', version: 3, isActive: !isActive }));
    await waitFor(() => expect(screen.getByText('Branch').closest('tr')).toHaveTextContent(isActive ? 'Inactive' : /^(?!.*Inactive)/));
  },
);

test('entries are imported by the OIDs that were entered, and a failure is said (ADA-S-030, ADA-C-032, ADA-R-093, ADA-R-094, ADA-T-042, ADA-T-123)', async () => {
  refusal('post', `${ENTRIES}/sync`, 500);
  await open();
  await press('Import');
  const form = await dialog('Import Directory Entries from the FHIR Directory');
  await userEvent.type(within(form).getByLabelText(/^OIDs/, { selector: 'input' }), '2.25.10{Enter}2.25.404{Enter}');
  await press('Import', form);
  expect(await screen.findByText('There was an error syncing')).toBeInTheDocument();
  const found = (oid: string, outcome: 'Added' | 'NotFound') => ({ oid, outcome, displayName: '', entry: null });
  const asked = answer('post', `${ENTRIES}/sync`, { items: [found('2.25.10', 'Added'), found('2.25.404', 'NotFound')] });
  await press('Import', form);
  expect(await screen.findByText('1 entry added. Not in the directory: 2.25.404.')).toBeInTheDocument();
  expect(asked[0]!.body).toEqual({ oids: ['2.25.10', '2.25.404'] });
});

test('entries that cannot be loaded are not shown, but what the server says (ADA-R-112)', async () => {
  refusal('get', ENTRIES, 500, { message: 'The directory sleeps.' });
  renderScreen(<DirectoryEntries organization={larkfield} />);
  expect(await screen.findByText('The directory sleeps.')).toBeInTheDocument();
  expect(screen.queryByText('Branch')).toBeNull();
});

test('the list is narrowed down to a responder type, also to Pass Through (ADA-R-100, ADA-T-075, SES-T-046)', async () => {
  entries = [branch, { ...branch, id: 'e-2', displayName: 'Gateway', responderType: 'passthrough' }];
  await open();
  await press('Responder Type');
  for (const name of ['Direct Responder - Repository Owner', 'Initiator Only'])
    expect(await screen.findByRole('radio', { name })).toBeInTheDocument();
  await userEvent.click(screen.getByRole('radio', { name: 'Pass Through - For Directory Purposes' }));
  await waitFor(() => expect(screen.queryByText('Branch')).toBeNull());
  expect(screen.getByText('Gateway')).toBeInTheDocument();
});
