import { notifications } from '@mantine/notifications';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';
import { setToken } from '@/api/token';
import type { WhitelistEntry } from '@/api/types';
import { fromMenu, choose, dialog, fill, press } from '@/test/acts';
import { answer } from '@/test/answers';
import { renderScreen } from '@/test/render';
import { WhitelistTab } from './WhitelistTab';

const LIST = '/api/admin/integrations/whitelist';
const pilot: WhitelistEntry = {
  id: 'w-1',
  integrationId: 'Webhooks',
  integrationName: 'Webhooks',
  organizationId: 'o-1',
  organizationName: 'Larkfield Family Medicine',
  name: 'Pilot',
  createdBy: 'ops',
  createDate: '2026-11-20T15:04:05Z',
  version: 2,
};
const page = <T,>(items: T[]) => ({ items, totalCount: items.length, totalIsCapped: false });

beforeEach(() => {
  setToken({ accessToken: 't', expiresIn: 900 });
  notifications.clean();
  answer('get', LIST, page([pilot]));
  answer('get', `${LIST}/{id}`, pilot);
  answer('get', '/api/organizations', page([{ id: 'o-1', name: 'Larkfield Family Medicine', subDomain: 'larkfield' }]) as never);
});

test('an organization, or all of them, may use an integration (ADB-S-037)', async () => {
  const asked = answer('post', LIST, pilot);
  renderScreen(<WhitelistTab />);
  await press('Create');
  const form = await dialog('New entry');
  fill('Name', 'Pilot', form);
  await choose('Integration', 'Webhooks', form);
  await press('Create', form);
  expect(await screen.findByText('Please choose an organization from the list.')).toBeInTheDocument();
  await choose('Organization', /^Larkfield/, form, 'Lark');
  await press('Create', form);
  expect(await screen.findByText('The entry was created.')).toBeInTheDocument();
  expect(asked[0]!.body).toEqual({ name: 'Pilot', integrationId: 'Webhooks', organizationId: 'o-1' });
});

test('an organization is allowed to connect an EHR (ADB-S-037)', async () => {
  const asked = answer('post', LIST, pilot);
  renderScreen(<WhitelistTab />);
  await press('Create');
  const form = await dialog('New entry');
  fill('Name', 'Contract', form);
  await choose('Integration', 'EHR (FHIR R4)', form);
  await choose('Organization', /^Larkfield/, form, 'Lark');
  await press('Create', form);
  await waitFor(() => expect(asked[0]?.body).toMatchObject({ integrationId: 'Fhir', organizationId: 'o-1' }));
});

test('an entry is renamed, and stays for what it was made (ADB-S-037)', async () => {
  const asked = answer('put', `${LIST}/{id}`, pilot);
  renderScreen(<WhitelistTab />);
  await fromMenu('Pilot', 'Edit');
  const form = await dialog('Edit entry');
  await waitFor(() => expect(within(form).getByRole('textbox', { name: 'Name' })).toHaveValue('Pilot'));
  expect(within(form).queryByRole('combobox')).toBeNull();
  fill('Name', 'Contract', form);
  await press('Save Changes', form);
  expect(await screen.findByText('The entry was saved.')).toBeInTheDocument();
  expect(asked[0]!.body).toEqual({ name: 'Contract', integrationId: 'Webhooks', organizationId: 'o-1', version: 2 });
});

test('an entry is taken away after a question that says of whom (ADB-S-037)', async () => {
  const asked = answer('delete', `${LIST}/{id}`, null as never);
  renderScreen(<WhitelistTab />);
  await fromMenu('Pilot', 'Delete');
  const question = await dialog('Delete entry');
  expect(question).toHaveTextContent('Pilot (Webhooks, Larkfield Family Medicine)');
  await press('Delete', question);
  expect(await screen.findByText('The entry was deleted.')).toBeInTheDocument();
  expect(asked[0]!.path).toMatchObject({ id: 'w-1' });
});

test('the organizations that use an integration are listed, with whether they may (ADB-S-038)', async () => {
  const overview = { id: 'FaxAccounts' as const, name: 'Fax services', organizationCount: 2, isOpenToAll: false, whitelistedCount: 1 };
  const asked = answer('get', '/api/admin/integrations', { items: [overview] });
  const users = answer(
    'get',
    '/api/admin/integrations/{id}/organizations',
    page([
      { id: 'o-1', name: 'Larkfield', subDomain: 'larkfield', isAllowed: true },
      { id: 'o-2', name: 'Summit', subDomain: 'summit', isAllowed: false },
    ]),
  );
  renderScreen(<WhitelistTab />);
  await press('Integrations');
  const all = await dialog('Integrations');
  await userEvent.click(await within(all).findByRole('button', { name: 'Fax services2 organizations connected1 organization may use it' }));
  const list = await within(all).findByRole('list', { name: 'Organizations with fax services' });
  const items = within(list).getAllByRole('listitem');
  expect(items.map((item) => item.textContent)).toEqual(['Larkfield (larkfield)Allowed', 'Summit (summit)Not on the whitelist']);
  expect([asked.length, users[0]!.path.id]).toEqual([1, 'FaxAccounts']);
});
