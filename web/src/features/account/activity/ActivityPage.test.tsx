import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type { MessageEvent } from '@/api/types';
import { saveFile } from '@/shared/saveFile';
import { answer } from '@/test/answers';
import { renderScreen } from '@/test/render';
import { server } from '@/test/setup';
import { ActivityPage } from './ActivityPage';

const person = vi.hoisted(() => ({ roles: ['Administrator'] }));
vi.mock('@/app/session', async (original) => ({ ...(await original<object>()), useProfile: () => person }));
vi.mock('@/shared/saveFile', async (original) => ({ ...(await original<object>()), saveFile: vi.fn() }));

const event = (over: Partial<MessageEvent>): MessageEvent => ({
  id: 'e1',
  eventType: 'Processed',
  at: '2026-11-20T10:00:00Z',
  messageId: 'm1',
  direction: 'Intake',
  fromAddress: 'a@summit.example',
  toAddress: 'b@larkfield.example',
  subject: 'Right knee',
  isDeleted: false,
  userName: 'Dana Whitfield',
  ...over,
});
const open = (address = '/account/activity') => renderScreen(<ActivityPage />, address);

beforeEach(() => {
  setToken({ accessToken: 't', expiresIn: 900 });
  person.roles = ['Administrator'];
  answer('get', '/api/users/assignable', { items: [{ id: 'p', name: 'Priya Nandakumar' }] } as never);
  answer('get', '/api/audit/types', { items: ['Created'] } as never);
});

test('the activity of the practice is narrowed to events, a person and days, and leads to each message that is left', async () => {
  const asked = answer('get', '/api/events', {
    items: [
      event({}),
      event({ id: 'e2', direction: 'Release', messageId: 'm2', subject: 'Left knee' }),
      event({ id: 'e3', isDeleted: true }),
    ],
    totalCount: 3,
    totalIsCapped: false,
  });
  const router = open('/account/activity?from=2026-11-01&until=2026-11-30');
  await userEvent.click(await screen.findByRole('button', { name: 'Event' }));
  await userEvent.click(await screen.findByRole('checkbox', { name: 'Processed' }));
  await userEvent.keyboard('{Escape}');
  await userEvent.click(screen.getByRole('button', { name: 'Person' }));
  await userEvent.click(await screen.findByRole('radio', { name: 'Priya Nandakumar' }));
  await expect.poll(() => asked.at(-1)?.query.get('userId')).toBe('p');
  expect(asked.at(-1)!.query.get('eventTypes')).toBe('Processed');
  expect(asked.at(-1)!.query.get('start')).toContain('2026-11-01');
  expect(router.state.location.search).toMatchObject({ events: 'Processed', person: 'p' });
  const table = within(screen.getByRole('table', { name: 'Activity' }));
  expect(table.getByRole('link', { name: 'Right knee' })).toHaveAttribute('href', '/intake/m1');
  expect(table.getByRole('link', { name: 'Left knee' })).toHaveAttribute('href', '/release/m2');
  expect(table.getByText('Deleted message').closest('a')).toBeNull();
});

test('an administrator reads in the audit trail who did what with the intake rules, and takes it along', async () => {
  answer('get', '/api/events', { items: [], totalCount: 0, totalIsCapped: false });
  const entry = {
    id: 'a1',
    createdBy: 'Dana Whitfield',
    eventType: 'Created',
    what: '',
    createdOn: '2026-11-20T10:00:00Z',
    objectType: 'intakerule',
    objectId: 'r1',
    objectName: 'Knees',
  };
  const asked = answer('get', '/api/audit/entries/{type}', { items: [entry], totalCount: 1, totalIsCapped: false });
  const paths: string[] = [];
  server.use(
    http.get('*/api/audit/entries/:type/csv', ({ request }) => {
      paths.push(new URL(request.url).pathname);
      return HttpResponse.text('a,b');
    }),
  );
  open();
  await userEvent.click(await screen.findByRole('button', { name: 'Audit trail' }));
  const trail = within(await screen.findByRole('dialog', { name: 'Audit trail' }));
  await userEvent.click(trail.getByRole('combobox', { name: 'About' }));
  await userEvent.click(await screen.findByRole('option', { name: 'Intake rules' }));
  await expect.poll(() => asked.at(-1)?.path.type).toBe('intakerule');
  const row = within(trail.getByRole('table', { name: 'Activity' })).getAllByRole('row')[1];
  expect(row).toHaveTextContent(/Dana Whitfield.*Created.*Knees/);
  expect(trail.getByRole('link', { name: 'Knees' }).getAttribute('href')).toContain('edit=r1');
  await userEvent.click(trail.getByRole('button', { name: 'Download' }));
  await expect.poll(() => vi.mocked(saveFile).mock.calls.length).toBe(1);
  expect(paths).toEqual(['/api/audit/entries/intakerule/csv']);
});

test('people who are not administrators are offered no audit trail', async () => {
  person.roles = ['User'];
  answer('get', '/api/events', { items: [], totalCount: 0, totalIsCapped: false });
  open();
  expect(await screen.findByRole('button', { name: 'Activity report' })).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Audit trail' })).toBeNull();
});
