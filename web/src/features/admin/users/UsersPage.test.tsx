import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import { renderScreen } from '@/test/render';
import { server } from '@/test/setup';
import { UsersPage } from './UsersPage';

vi.mock('@/app/session', async (original) => ({ ...(await original<object>()), useProfile: () => ({ userId: 'me' }) }));

const SYSTEM = { roleType: 'system', roleName: 'SysAdmin', isOrgAdmin: false, isSysAdmin: true };
const user = {
  id: 'u',
  userName: 'dana@larkfield.example',
  firstName: 'Dana',
  lastName: 'Reyes',
  email: 'dana@larkfield.example',
  roleType: 'user',
  roleName: 'Administrator',
  organizations: [],
  isSysAdmin: false,
  isOrgAdmin: true,
  isNetworkAdmin: false,
  status: 'Active',
  isDisabled: false,
  twoFactorEnabled: false,
  version: 1,
};
let pages: (string | null)[];

beforeEach(() => {
  pages = [];
  setToken({ accessToken: 't', expiresIn: 900 });
  server.use(
    http.get('*/api/admin/users', ({ request }) => {
      pages.push(new URL(request.url).searchParams.get('pageNumber'));
      return HttpResponse.json({ users: [user], totalUsersCount: 95, totalIsCapped: false });
    }),
  );
});

test('the list has pages of 10, 25, 50 or 100, with first, previous, next and last (ADA-R-137, ADA-R-139, ADA-S-063)', async () => {
  renderScreen(<UsersPage />);
  const sizes = within(await screen.findByRole('combobox', { name: 'Rows per page' })).getAllByRole('option');
  expect(sizes.map((o) => o.textContent)).toEqual(['10', '25', '50', '100']);
  for (const [name, page] of [
    ['Last page', '10'],
    ['Previous page', '9'],
    ['First page', '1'],
    ['Next page', '2'],
  ] as const) {
    await userEvent.click(screen.getByRole('button', { name }));
    await vi.waitFor(() => expect(pages.at(-1)).toBe(page));
  }
});

test.each([
  ['an operator', SYSTEM, 'PUT', '/api/admin/sysadmin/u', { enable: false }],
  ['somebody of an organization', {}, 'POST', '/api/admin/users/enable', { id: 'u', enable: false }],
])('%s is disabled by a call of its own (ADA-R-143)', async (_who, change, method, path, body) => {
  const sent: unknown[] = [];
  server.use(
    http.get('*/api/admin/users', () => HttpResponse.json({ users: [{ ...user, ...change }], totalUsersCount: 1, totalIsCapped: false })),
    http.all(/\/api\/admin\/(sysadmin\/|users\/enable)/, async ({ request }) => {
      sent.push([request.method, new URL(request.url).pathname, await request.json()]);
      return HttpResponse.json({});
    }),
  );
  renderScreen(<UsersPage />);
  await userEvent.click(await screen.findByRole('button', { name: /^Actions for dana/ }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Disable' }));
  await userEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Disable' }));
  await vi.waitFor(() => expect(sent).toEqual([[method, path, body]]));
});
