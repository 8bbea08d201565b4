import { notifications } from '@mantine/notifications';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type { FeatureToggle } from '@/api/types';
import { fromMenu, dialog, fill, press } from '@/test/acts';
import { type Asked, answer, refusal } from '@/test/answers';
import { renderScreen } from '@/test/render';
import { FeaturesPage } from './FeaturesPage';

const ONE = '/api/admin/features/{id}';
const feature: FeatureToggle = {
  id: 'f-1',
  name: 'FaxInterface',
  enabled: true,
  isOrganizationFeature: false,
  createdBy: 'ops',
  createDate: '2026-11-20T15:04:05Z',
  modifiedBy: 'ops',
  modifiedDate: '2026-11-20T15:04:05Z',
  version: 4,
};
const { name, enabled, isOrganizationFeature, version } = feature;
const saved = { name, enabled, isOrganizationFeature, version };

let listed: Asked<unknown>[];
beforeEach(() => {
  setToken({ accessToken: 't', expiresIn: 900 });
  notifications.clean();
  listed = answer('get', '/api/admin/features', { items: [feature], totalCount: 1, totalIsCapped: false });
  answer('get', ONE, feature);
});
afterEach(() => void vi.useRealTimers());

const open = async () => {
  renderScreen(<FeaturesPage />);
  await screen.findByText('FaxInterface');
};
const box = (where: HTMLElement, label: RegExp) => within(where).getByRole('checkbox', { name: label });

test('features are listed with name, day and two switches, and searched 300 ms after the last key (ADB-S-001, ADB-R-009, ADB-R-010, ADB-R-012, ADB-T-006)', async () => {
  await open();
  const heads = screen.getAllByRole('columnheader').map((head) => head.textContent);
  expect(heads.slice(0, 4)).toEqual(['Name', 'Created', 'Enabled', 'Organization Feature']);
  expect(screen.getByRole('switch', { name: 'Enabled: FaxInterface' })).toBeChecked();
  expect(screen.getByRole('switch', { name: 'Organization Feature: FaxInterface' }).closest('td')).toHaveTextContent('No');
  vi.useFakeTimers({ shouldAdvanceTime: true });
  fireEvent.change(screen.getByLabelText('Search features'), { target: { value: 'Fax' } });
  await vi.advanceTimersByTimeAsync(200);
  expect(listed).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(150);
  await waitFor(() => expect(listed.at(-1)!.query.get('search')).toBe('Fax'));
});

test('a feature is created, with a name of four characters at least (ADB-S-002, ADB-R-011, ADB-R-018, ADB-R-019, ADB-R-026, ADB-T-001, ADB-T-005, ADB-T-009)', async () => {
  const asked = answer('post', '/api/admin/features', feature);
  await open();
  await press('Create');
  const form = await dialog('Create Feature');
  fill('Name', 'abc', form);
  await press('Create', form);
  expect(await screen.findByText('Please enter a name of 4 to 150 characters.')).toBeInTheDocument();
  fill('Name', 'Labels', form);
  expect(box(form, /^Enabled/)).toBeChecked();
  await userEvent.click(box(form, /^Enable Orgs/));
  await press('Create', form);
  expect(await screen.findByText('The feature was saved successfully.')).toBeInTheDocument();
  expect(asked.map(({ body }) => body)).toEqual([{ name: 'Labels', enabled: true, isOrganizationFeature: false }]);
});

test.each([
  ['Enabled (ADB-R-014)', { enabled: false }],
  ['Organization Feature (ADB-R-015)', { isOrganizationFeature: true }],
])('a press of the switch %s saves it at once, with the rest as it was', async (title, change) => {
  const asked = answer('put', ONE, { ...feature, ...change });
  await open();
  await userEvent.click(screen.getByRole('switch', { name: `${title.split(' (')[0]}: FaxInterface` }));
  await waitFor(() => expect(asked.map(({ body }) => body)).toEqual([{ ...saved, ...change }]));
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('a switch that is refused snaps back and says why (ADB-R-028)', async () => {
  refusal('put', ONE, 409, { message: 'Somebody else has changed this feature since you opened it.' });
  await open();
  const one = screen.getByRole('switch', { name: 'Enabled: FaxInterface' });
  await userEvent.click(one);
  expect(await screen.findByText('Somebody else has changed this feature since you opened it.')).toBeInTheDocument();
  await waitFor(() => expect(one).toBeChecked());
});

test('its name opens a feature to be changed, and what is wrong with it is said (ADB-R-013, ADB-R-018, ADB-R-028, ADB-T-002)', async () => {
  const asked = refusal('put', ONE, 400, { modelState: { name: ['Another feature has this name.'] } });
  await open();
  await userEvent.click(screen.getByText('FaxInterface'));
  const form = await dialog('Update Feature');
  await waitFor(() => expect(within(form).getByRole('textbox', { name: 'Name' })).toHaveValue('FaxInterface'));
  fill('Name', 'FaxService', form);
  await press('Save Changes', form);
  expect(await screen.findByText('Another feature has this name.')).toBeInTheDocument();
  expect(asked[0]!.body).toEqual({ ...saved, name: 'FaxService' });
});

test('a feature is shown once more, locked, before it is deleted (ADB-R-018, ADB-R-020, ADB-R-021, ADB-R-027, ADB-T-003, ADB-T-010)', async () => {
  const asked = answer('delete', ONE, null as never);
  await open();
  await fromMenu('FaxInterface', 'Delete');
  const question = await dialog('Delete Feature');
  expect(within(question).getByRole('textbox', { name: 'Name' })).toBeDisabled();
  for (const label of [/^Enabled/, /^Enable Orgs/]) expect(box(question, label)).toBeDisabled();
  await press('Delete', question);
  expect(await screen.findByText('The feature was deleted successfully.')).toBeInTheDocument();
  expect(asked[0]!.path).toMatchObject({ id: 'f-1' });
});
