import { notifications } from '@mantine/notifications';
import { act as inReact, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type { Emergency, EmergencyOrganization } from '@/api/types';
import { fromMenu, choose, dialog, fill, press } from '@/test/acts';
import { answer, refusal } from '@/test/answers';
import { renderScreen } from '@/test/render';
import { EmergenciesPage } from './EmergenciesPage';

const EMERGENCIES = '/api/admin/emergencies';
const ORGANIZATIONS = '/api/emergencies/organizations';
const SEARCH = '/api/organization/admin/_search';
const relief: EmergencyOrganization = { id: 'o', oid: '2.25.1', name: 'Cedar Relief', version: 1 };
const flood: Emergency = {
  id: 'e',
  name: 'Flood',
  disabledDate: '2099-01-02',
  isDisabled: false,
  organizations: [relief],
  version: 1,
};

let emergencies: Emergency[];
let organizations: EmergencyOrganization[];
beforeEach(() => {
  setToken({ accessToken: 't', expiresIn: 900 });
  notifications.clean();
  emergencies = [flood];
  organizations = [relief];
  answer('get', EMERGENCIES, () => ({ items: emergencies }));
  answer('get', `${EMERGENCIES}/{id}`, () => emergencies[0]!);
  answer('get', ORGANIZATIONS, () => ({ items: organizations }));
});
afterEach(() => void vi.useRealTimers());

const pass = (ms: number) => inReact(() => vi.advanceTimersByTimeAsync(ms));
/** The organizations, and the dialog that adds one. */
async function adding() {
  renderScreen(<EmergenciesPage tab="organizations" />);
  await press('Add organization');
  return dialog('New organization');
}
const type = (where: HTMLElement, oid: string) =>
  fireEvent.change(within(where).getByRole('textbox', { name: 'OID' }), { target: { value: oid } });

test('there are a tab of emergencies and one of organizations, and a button to create (ADA-R-041, ADA-S-051)', async () => {
  const router = renderScreen(<EmergenciesPage tab="emergencies" />);
  expect(await screen.findByRole('button', { name: 'Create' })).toBeInTheDocument();
  expect(screen.getAllByRole('tab').map((tab) => tab.textContent)).toEqual(['Emergencies', 'Organizations']);
  await userEvent.click(screen.getByRole('tab', { name: 'Organizations' }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/admin/emergencies/organizations'));
});

test('an emergency is green without a date, amber before its day, which is shown as MM/dd/yy, and red from then on (ADA-S-052, ADA-R-152, ADA-R-153, ADA-R-154, ADA-R-305)', async () => {
  const on = { ...flood, id: 'e-1', name: 'Fire', disabledDate: null };
  emergencies = [on, flood, { ...flood, id: 'e-2', name: 'Quake', disabledDate: '2026-01-02', isDisabled: true }];
  renderScreen(<EmergenciesPage tab="emergencies" />);
  const standing = async (name: string) => (await screen.findByText(name)).closest('tr')!.querySelector('[class*="t-"]')!;
  const shown = await Promise.all(['Fire', 'Flood', 'Quake'].map(standing));
  expect(shown.map((chip) => [/t-\w+/.exec(chip.className)?.[0], chip.textContent])).toEqual([
    ['t-success', 'Enabled'],
    ['t-warn', 'Until 01/02/99'],
    ['t-danger', 'Disabled'],
  ]);
});

test('an emergency is created, and a refusal is said in the words of the server (ADA-S-054, ADA-R-156, ADA-R-297, ADA-R-298, ADA-T-157)', async () => {
  refusal('post', EMERGENCIES, 409, { message: 'The service sleeps.' });
  renderScreen(<EmergenciesPage tab="emergencies" />);
  await press('Create');
  const form = await dialog('New emergency');
  fill('Name', 'Storm', form);
  await choose('Organizations', 'Cedar Relief', form, 'Ced');
  await press('Create', form);
  expect(await screen.findByText('The service sleeps.')).toBeInTheDocument();
  const asked = answer('post', EMERGENCIES, flood);
  await press('Create', form);
  expect(await screen.findByText('Emergency saved.')).toBeInTheDocument();
  expect(asked[0]!.body).toEqual({ name: 'Storm', disabledDate: null, organizations: ['2.25.1'] });
});

test('the day on which an emergency ends is typed as M/d/yyyy, M/d/yy, MMddyyyy or MMddyy (ADA-R-293)', async () => {
  const asked = answer('put', EMERGENCIES, flood);
  renderScreen(<EmergenciesPage tab="emergencies" />);
  await fromMenu('Flood', 'Edit');
  const form = await dialog('Edit emergency');
  const day = await within(form).findByRole('textbox', { name: 'Disabled date' });
  await waitFor(() => expect(day).toHaveValue('01/02/2099'));
  for (const [typed, shown] of [
    ['3/4/2031', '03/04/2031'],
    ['5/6/26', '05/06/2026'],
    ['07082031', '07/08/2031'],
    ['091026', '09/10/2026'],
  ] as const) {
    fill('Disabled date', typed, form);
    expect(day).toHaveValue(shown);
  }
  await press('Save Changes', form);
  await waitFor(() => expect(asked[0]?.body).toMatchObject({ id: 'e', version: 1, disabledDate: '2026-09-10' }));
});

test.each([
  ['Disable', { ...flood, disabledDate: null }, `${EMERGENCIES}/{id}/disable`],
  ['Enable', flood, `${EMERGENCIES}/{id}/enable`],
] as const)('%s is an act of its own, after a question (ADA-S-052)', async (label, before, path) => {
  emergencies = [before];
  const asked = answer('put', path, () => {
    emergencies = [{ ...flood, disabledDate: null, isDisabled: label === 'Disable' }];
    return emergencies[0]!;
  });
  renderScreen(<EmergenciesPage tab="emergencies" />);
  await fromMenu('Flood', label);
  await press(label, await dialog(`${label} emergency`));
  await waitFor(() => expect(screen.getByText('Flood').closest('tr')).toHaveTextContent(`${label}d`));
  expect(asked).toHaveLength(1);
});

test('the organizations of an emergency are searched from two letters on, 300 ms after the last one (ADA-R-295, ADA-R-296)', async () => {
  renderScreen(<EmergenciesPage tab="emergencies" />);
  await press('Create');
  const field = within(await dialog('New emergency')).getByRole('combobox', { name: 'Organizations' });
  await userEvent.click(field);
  const option = () => screen.queryByRole('option', { name: 'Cedar Relief', hidden: true });
  vi.useFakeTimers({ shouldAdvanceTime: true });
  fireEvent.change(field, { target: { value: 'c' } });
  await pass(1000);
  expect(option()).toBeNull();
  fireEvent.change(field, { target: { value: 'ce' } });
  await pass(200);
  expect(option()).toBeNull();
  await pass(150);
  expect(option()).not.toBeNull();
});

test('organizations are listed by OID and name, of which 30 characters are shown (ADA-S-053, ADA-R-157, ADA-R-158)', async () => {
  organizations = [{ ...relief, id: 'o-2', oid: `2.25.${'1'.repeat(40)}`, name: 'C'.repeat(31) }, relief];
  renderScreen(<EmergenciesPage tab="organizations" />);
  expect(await screen.findByText(`2.25.${'1'.repeat(25)} ...`)).toBeInTheDocument();
  expect(screen.getByText(`${'C'.repeat(30)} ...`)).toBeInTheDocument();
  expect(screen.getByText('2.25.1').closest('tr')).toHaveTextContent('Cedar Relief');
});

test('whose an OID is, is searched 500 ms after the last change; nobody is said to be found (ADA-S-055, ADA-R-301, ADA-R-303, ADA-T-160)', async () => {
  const asked = answer(
    'post',
    SEARCH,
    ({ body }) => ({ value: body.orgId === '2.25.2' ? { displayName: 'Birch Relief' } : null }) as never,
  );
  const form = await adding();
  vi.useFakeTimers({ shouldAdvanceTime: true });
  type(form, '2.25.404');
  await pass(400);
  expect(asked).toEqual([]);
  await pass(150);
  expect(await within(form).findByText('No organizations found')).toBeInTheDocument();
  type(form, '2.25.2');
  await pass(550);
  const name = within(form).getByRole('textbox', { name: 'Name' });
  await waitFor(() => expect(name).toHaveValue('Birch Relief'));
  expect(name).toHaveAttribute('readonly');
  expect(asked.map(({ body }) => body.orgId)).toEqual(['2.25.404', '2.25.2']);
});

test('an organization is added, and edited, by its OID (ADA-R-159, ADA-R-160, ADA-T-161)', async () => {
  answer('post', SEARCH, { value: null } as never);
  const asked = answer('put', ORGANIZATIONS, relief);
  const form = await adding();
  type(form, '2.25.2');
  await press('Save', form);
  expect(await screen.findByText('Organization saved.')).toBeInTheDocument();
  await fromMenu('Cedar Relief', 'Edit');
  const edit = await dialog('Edit organization');
  type(edit, '2.25.3');
  await press('Save Changes', edit);
  await waitFor(() => expect(asked.map(({ body }) => body)).toEqual([{ oid: '2.25.2' }, { id: 'o', oid: '2.25.3', version: 1 }]));
});

test('an organization is removed after a question that names it (ADA-S-056, ADA-R-161, ADA-R-304, ADA-T-162, ADA-T-163)', async () => {
  const asked = answer('delete', `${ORGANIZATIONS}/{oid}`, null as never);
  renderScreen(<EmergenciesPage tab="organizations" />);
  await fromMenu('Cedar Relief', 'Remove');
  const question = await dialog('Remove organization');
  expect(question).toHaveTextContent(
    'Are you sure you want to remove the organization Cedar Relief from the list of known PUBLICHEALTH emergencies?',
  );
  await press('Remove', question);
  expect(await screen.findByText('Organization removed.')).toBeInTheDocument();
  expect(asked[0]!.path).toMatchObject({ oid: '2.25.1' });
});
