import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type { Profile } from '@/api/types';
import { switchOrganization } from '@/app/session';
import { Shell } from '@/app/shell/Shell';
import { answer } from '@/test/answers';
import { renderScreen } from '@/test/render';
import { person } from '@/test/session';
import { screens } from './screens';

const shown = vi.hoisted(() => ({ person: {} as Profile }));
vi.mock('@/app/session', () => ({
  useProfile: () => shown.person,
  useFeatures: () => [],
  useHasRole: () => true,
  switchOrganization: vi.fn(async () => {}),
  expireSession: vi.fn(),
  readFeatures: vi.fn(),
  signOutIdle: vi.fn(),
}));
vi.mock('@/app/branding', () => ({ useBranding: () => ({ displayName: 'Carepost' }) }));
vi.mock('@/shared/hubs', async (original) => ({ ...(await original<object>()), connectHub: () => ({ close: () => {} }) }));

beforeEach(() => {
  setToken({ accessToken: 't', expiresIn: 900 });
  vi.clearAllMocks();
  shown.person = person();
  answer('get', '/api/users/current', { ...person(), userPreferences: {} });
  const quickViews = { all: 9, unassigned: 0, assignedToSelf: 0, urgent: 0, unread: 7, snoozed: 0 };
  answer('post', '/api/intake/counts', { totalCount: 9, totalIsCapped: false, mentionCount: 0, quickViews });
  answer('get', '/api/messages/signatures', { items: [], totalCount: 0, totalIsCapped: false });
  answer('get', '/api/admin/users/idproof/count', { count: 0 });
});

const nothing = () => null;
const show = async () => {
  const parts = { FindProvider: nothing, ActivityReport: nothing, OrganizationDialogs: nothing };
  renderScreen(
    <Shell screens={screens} dialogs={parts} Notices={nothing} tasks={{ Button: nothing, open: () => {} }} />,
    '/account/profile',
  );
  return screen.findByRole('navigation', { name: 'Main' });
};
const links = (nav: HTMLElement) =>
  within(nav)
    .getAllByRole('link', { hidden: true })
    .map((l) => l.getAttribute('href'));

test('the sidebar shows the areas of the role (SES-R-306)', async () => {
  const offered = links(await show());
  expect(offered).toEqual(expect.arrayContaining(['/intake', '/release']));
  for (const href of ['/account/dashboard', '/account/settings/plan', '/admin/organizations']) expect(offered).not.toContain(href);
});

test('an administrator has the settings of the organization, and no console', async () => {
  shown.person = person({ roles: ['Administrator'] });
  const offered = links(await show());
  expect(offered).toEqual(expect.arrayContaining(['/intake', '/account/dashboard', '/account/settings/plan']));
  expect(offered).not.toContain('/admin/organizations');
});

test('an operator has the console, and no messages', async () => {
  shown.person = person({ roles: ['SysAdmin'] });
  const offered = links(await show());
  expect(offered).toContain('/admin/organizations');
  for (const href of ['/intake', '/account/settings/plan']) expect(offered).not.toContain(href);
});

test('who only reads the reports of the console has its health and nothing that changes (SES-R-302)', async () => {
  shown.person = person({ roles: ['SysAdminReporting'] });
  const offered = links(await show());
  expect(offered).toContain('/admin/dashboard/messaging');
  for (const href of ['/intake', '/admin/organizations', '/admin/users']) expect(offered).not.toContain(href);
});

test('the sidebar tells what is unread', async () => {
  const nav = await show();
  await waitFor(() => expect(within(nav).getByRole('link', { name: /Intake/ })).toHaveTextContent('Intake7 unread'));
});

test('the sidebar closes to a rail without words and opens again, and that is remembered (MSG-R-036, MSG-S-003, MSG-S-046)', async () => {
  const kept = answer('put', '/api/account/preferences/screens/{name}', null);
  const nav = await show();
  const words = () => within(nav).getByText('Release');
  expect(words()).not.toHaveClass('cp-hidden');
  fireEvent.click(screen.getByRole('button', { name: 'Collapse sidebar' }));
  const opener = await screen.findByRole('button', { name: 'Open sidebar' });
  expect(words()).toHaveClass('cp-hidden');
  await waitFor(() => expect(kept.map((k) => [k.path.name, k.body])).toEqual([['sidebarOpen', { value: false }]]));
  fireEvent.click(opener);
  expect(await screen.findByRole('button', { name: 'Collapse sidebar' })).toBeInTheDocument();
  expect(words()).not.toHaveClass('cp-hidden');
});

test('the question mark lists the shortcuts', async () => {
  await show();
  fireEvent.keyDown(document.body, { key: '?' });
  const list = await screen.findByRole('dialog', { name: 'Keyboard shortcuts' });
  for (const label of ['Search', 'Search or jump to…', 'New release']) expect(list).toHaveTextContent(label);
});

test('a theme is chosen, and is that of this browser from then on', async () => {
  await show();
  const scheme = () => document.documentElement.getAttribute('data-mantine-color-scheme');
  fireEvent.click(screen.getByRole('button', { name: /^Profile: Priya Raman/ }));
  fireEvent.click(await screen.findByRole('menuitemradio', { name: 'Dark' }));
  await waitFor(() => expect(scheme()).toBe('dark'));
  expect(localStorage.getItem('mantine-color-scheme-value')).toBe('dark');
});

const two = [
  { id: 'o', name: 'Larkfield', subDomain: 'larkfield' },
  { id: 's', name: 'Summit', subDomain: 'summit' },
];

test('the switcher has a search box, and changes over to what is chosen (MSG-S-047, MSG-R-126, SES-S-043)', async () => {
  shown.person = person({ organizations: two });
  await show();
  fireEvent.click(screen.getByRole('button', { name: /^Organization: Larkfield/ }));
  const search = await screen.findByLabelText('Search organizations');
  const found = () => [...document.querySelectorAll('.cp-orglist button')];
  expect(found()).toHaveLength(2);
  fireEvent.change(search, { target: { value: 'SUMM' } });
  await waitFor(() => expect(found()).toHaveLength(1));
  expect(found()[0]).toHaveTextContent('Summit');
  await act(async () => fireEvent.click(found()[0]!));
  expect(vi.mocked(switchOrganization).mock.calls[0]![0]).toBe('s');
});

test('the organization in view is not changed over to once more', async () => {
  shown.person = person({ organizations: two });
  await show();
  fireEvent.click(screen.getByRole('button', { name: /^Organization: Larkfield/ }));
  await screen.findByLabelText('Search organizations');
  await act(async () => fireEvent.click(document.querySelector('.cp-orglist [aria-current]')!));
  expect(switchOrganization).not.toHaveBeenCalled();
});
