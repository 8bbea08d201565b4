import { notifications } from '@mantine/notifications';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type { License } from '@/api/types';
import { choose, dialog, fill, press } from '@/test/acts';
import { type Asked, answer, refusal } from '@/test/answers';
import { renderScreen } from '@/test/render';
import { server } from '@/test/setup';
import { LicencesPage } from './LicencesPage';

const licence: License = {
  Id: 'l-1',
  LicenseKey: 'CPL1.abc',
  LicenseType: 'Connector',
  Organization: 'Larkfield Family Medicine',
  ConnectorId: 'AA:BB',
  ConnectorName: 'Front desk',
  IssuedDate: '2026-11-20T15:04:05Z',
  ExpirationDate: '2027-11-20T15:04:05Z',
};
const larkfield = { id: 'o-1', name: 'Larkfield Family Medicine', subDomain: 'larkfield' };

let listed: Asked<unknown>[];
let organizations: Asked<unknown>[];
let apps: Asked<unknown>[];
beforeEach(() => {
  setToken({ accessToken: 't', expiresIn: 900 });
  notifications.clean();
  listed = answer('get', '/api/adminlicenses', { Items: [licence], Count: 45 });
  organizations = answer('get', '/api/organizations', { items: [larkfield], totalCount: 1, totalIsCapped: false } as never);
  apps = answer('get', '/api/admin/apps', { items: [{ name: 'Connector', licenseTypes: ['Site'] }] } as never);
});
afterEach(() => void vi.useRealTimers());

const open = async () => {
  renderScreen(<LicencesPage />);
  await press('Generate');
  return dialog('Generate License Keys');
};
const generate = (form: HTMLElement) => within(form).getByRole('button', { name: 'Generate' });
/** All fields but the organization and the product. */
function fillIn(form: HTMLElement) {
  for (const [label, text] of [
    ['Name', 'Dana Reyes'],
    ['Email', 'dana@larkfield.example'],
    ['Product name', 'Connector'],
    ['Expires in days', '30'],
  ] as const)
    fill(label, text, form);
}
async function complete(form: HTMLElement) {
  fillIn(form);
  await choose('Organization', /^Larkfield/, form, 'Lark');
  await userEvent.click(within(form).getByRole('checkbox', { name: 'Licensed Plan' }));
}

test('licences are listed 20 a page, a page at a time (ADB-S-004, ADB-R-039, ADB-R-040, ADB-R-041, ADB-R-042)', async () => {
  renderScreen(<LicencesPage />);
  const sizes = await screen.findByRole('combobox', { name: 'Rows per page' });
  expect(
    within(sizes)
      .getAllByRole('option')
      .map((option) => option.textContent),
  ).toEqual(['10', '20', '50', '100']);
  for (const title of ['License key', 'License type', 'Organization', 'Connector ID', 'Connector name', 'Issued date', 'Expiration date'])
    expect(screen.getByRole('columnheader', { name: title })).toBeInTheDocument();
  const page = () => ['$top', '$skip'].map((name) => listed.at(-1)!.query.get(name));
  expect(page()).toEqual(['20', '0']);
  await press('Next page');
  await waitFor(() => expect(page()).toEqual(['20', '20']));
  fireEvent.change(sizes, { target: { value: '50' } });
  await waitFor(() => expect(page()).toEqual(['50', '0']));
});

test('all licences are listed, or those that end soon (ADB-R-045, ADB-R-048, ADB-T-012)', async () => {
  renderScreen(<LicencesPage />);
  await screen.findByText('CPL1.abc');
  expect(listed[0]!.query.get('$filter')).toBeNull();
  await userEvent.click(screen.getByRole('switch', { name: 'Expiring Soon' }));
  await waitFor(() => expect(listed.at(-1)!.query.get('$filter')).toMatch(/^ExpirationDate ge .* and ExpirationDate le /));
});

test('the reference is made up, and locked until somebody unlocks it (ADB-S-007, ADB-R-055, ADB-R-056)', async () => {
  const form = await open();
  const reference = within(form).getByRole('textbox', { name: 'Reference' });
  expect((reference as HTMLInputElement).value).toMatch(/^[0-9a-f-]{36}$/);
  expect(reference).toHaveAttribute('readonly');
  await press('Edit the reference', form);
  expect(reference).not.toHaveAttribute('readonly');
});

test('the form can be sent once it is complete, and says nothing of what is missing (ADB-R-069, ADB-R-072, ADB-R-073)', async () => {
  const form = await open();
  expect(generate(form)).toBeDisabled();
  fillIn(form);
  await userEvent.click(within(form).getByRole('checkbox', { name: 'Licensed Plan' }));
  const field = within(form).getByRole('combobox', { name: 'Organization' });
  fireEvent.change(field, { target: { value: 'Larkfield' } });
  fireEvent.blur(field);
  expect(generate(form)).toBeDisabled();
  expect(form.querySelector('[aria-invalid="true"], [role="alert"]')).toBeNull();
  await choose('Organization', /^Larkfield/, form, 'Lark');
  expect(generate(form)).toBeEnabled();
});

test('organizations are searched from two letters on, 300 ms after the last one (ADB-S-008, ADB-R-067, ADB-R-068, ADB-R-077, ADB-R-079)', async () => {
  const form = await open();
  const field = within(form).getByRole('combobox', { name: 'Organization' });
  await userEvent.click(field);
  vi.useFakeTimers({ shouldAdvanceTime: true });
  fireEvent.change(field, { target: { value: 'L' } });
  await act(() => vi.advanceTimersByTimeAsync(1000));
  expect(organizations).toEqual([]);
  fireEvent.change(field, { target: { value: 'La' } });
  await act(() => vi.advanceTimersByTimeAsync(200));
  expect(organizations).toEqual([]);
  await act(() => vi.advanceTimersByTimeAsync(150));
  await waitFor(() => expect(organizations.map(({ query }) => query.get('search'))).toEqual(['La']));
});

test('licences are asked for as browsers send forms, and shown in a dialog that only its button closes (ADB-S-005, ADB-S-006, ADB-R-046, ADB-R-051, ADB-R-052, ADB-R-053, ADB-R-054, ADB-R-078, ADB-T-011, ADB-T-013, ADB-T-014, ADB-T-015)', async () => {
  let sent = new URLSearchParams();
  server.use(
    http.post('*/api/licenses/issue', async ({ request }) => {
      expect(request.headers.get('content-type')).toContain('application/x-www-form-urlencoded');
      sent = new URLSearchParams(await request.text());
      return HttpResponse.json({ Items: [licence], Count: 1 });
    }),
  );
  const form = await open();
  await waitFor(() => expect(apps.map(({ query }) => query.get('size'))).toEqual(['5000']));
  await complete(form);
  await userEvent.click(generate(form));
  const result = await dialog('Generated License Keys');
  expect(Object.fromEntries(sent)).toEqual({
    name: 'Dana Reyes',
    email: 'dana@larkfield.example',
    internalproductname: 'Connector',
    quantity: '1',
    expiresindays: '30',
    company: 'o-1',
    licensedPlan: 'true',
    reference: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  expect(within(result).getByRole('listitem')).toHaveTextContent('CPL1.abc');
  await userEvent.keyboard('{Escape}');
  await userEvent.click(result.parentElement!);
  expect(result).toBeVisible();
  await press('Close', result);
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

test('a refusal of licences is said in the words of the screen (ADB-R-081, ADB-T-016)', async () => {
  refusal('post', '/api/licenses/issue', 409, { message: 'No more licences.' });
  const form = await open();
  await complete(form);
  await userEvent.click(generate(form));
  expect(await screen.findByText('Error generating licenses: No more licences.')).toBeInTheDocument();
});

test('of licence types those of the application are offered, and one that it lacks is chosen no longer (ADB-R-080, ADB-C-011)', async () => {
  answer('get', '/api/admin/apps', {
    items: [
      { name: 'Connector', licenseTypes: ['Site', 'Trial'] },
      { name: 'Scanner', licenseTypes: ['Trial'] },
    ],
  });
  const form = await open();
  const type = within(form).getByRole('combobox', { name: 'License type' });
  const offered = async () => {
    await userEvent.click(type);
    const found = document.getElementById(type.getAttribute('aria-controls')!)!;
    const texts = (await within(found).findAllByRole('option', { hidden: true })).map((option) => option.textContent);
    await userEvent.keyboard('{Escape}');
    return texts;
  };
  await choose('Application name', 'Connector', form);
  await choose('License type', 'Site', form);
  await choose('Application name', 'Scanner', form);
  expect(type).toHaveValue('');
  expect(await offered()).toEqual(['Trial']);
  await userEvent.click(within(form).getByRole('checkbox', { name: 'Licensed Plan' }));
  expect(await offered()).toEqual(['Site', 'Trial']);
});
