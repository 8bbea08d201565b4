import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { beforeEach, expect, test } from 'vitest';
import { setToken } from '@/api/token';
import { renderScreen } from '@/test/render';
import { server } from '@/test/setup';
import { EmergenciesPage } from './EmergenciesPage';

const relief = { id: 'o', oid: '2.25.1', name: 'Cedar Relief', version: 1 };
const flood = { id: 'e', name: 'Flood', disabledDate: '2099-01-02', isDisabled: false, organizations: [relief], version: 1 };

beforeEach(() => {
  setToken({ accessToken: 't', expiresIn: 900 });
  server.use(
    http.get('*/api/admin/emergencies', () => HttpResponse.json({ items: [flood] })),
    http.get('*/api/emergencies/organizations', () => HttpResponse.json({ items: [relief] })),
  );
});

test('the day on which an emergency ends is shown as MM/dd/yy (ADA-R-305)', async () => {
  renderScreen(<EmergenciesPage tab="emergencies" />);
  expect((await screen.findAllByText('Until 01/02/99')).length).toBeGreaterThan(0);
});

test('the organizations of an emergency are searched from two letters on, 300 ms after the last one (ADA-R-295, ADA-R-296)', async () => {
  renderScreen(<EmergenciesPage tab="emergencies" />);
  await userEvent.click(await screen.findByRole('button', { name: 'Create' }));
  const field = within(await screen.findByRole('dialog')).getByRole('combobox', { name: 'Organizations' });
  const option = () => screen.queryByRole('option', { name: 'Cedar Relief', hidden: true });
  await userEvent.type(field, 'c');
  await new Promise((over) => setTimeout(over, 500));
  expect(option()).toBeNull();
  await userEvent.type(field, 'e');
  const typed = performance.now();
  expect(option()).toBeNull();
  await expect.poll(option).not.toBeNull();
  expect(performance.now() - typed).toBeGreaterThan(200);
});
