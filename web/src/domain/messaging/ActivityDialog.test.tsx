import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { setToken } from '@/api/token';
import { endOfDay, startOfDay } from '@/shared/rules/dates';
import { choose, fill, press } from '@/test/acts';
import { answer } from '@/test/answers';
import { renderScreen } from '@/test/render';
import { ActivityDialog } from './ActivityDialog';

const act = (id: number, eventType: string) => ({
  id: String(id),
  createdBy: 'Dana Whitfield',
  createdOn: '2026-11-20T10:00:00Z',
  eventType,
  objectId: 'm1',
  objectName: '',
  objectType: 'message',
});
const trail = (count: number) =>
  answer('get', '/api/audit/{type}/{id}', ({ query }) => {
    const page = Number(query.get('page'));
    const left = Math.min(10, count - 10 * (page - 1));
    const items = Array.from({ length: Math.max(0, left) }, (_, n) => act(10 * page + n, n % 2 ? 'Changed' : 'Sent'));
    return { items, totalCount: count, totalIsCapped: false } as never;
  });

beforeEach(() => {
  setToken({ accessToken: 't', expiresIn: 900 });
  answer('get', '/api/audit/types', { items: ['Changed', 'Sent'] } as never);
});
const draw = () => renderScreen(<ActivityDialog messageId="m1" opened onClose={() => {}} />);

test('the activity of a message is listed ten a page (MSG-S-025, MSG-R-095, MSG-R-096, MSG-R-452, MSG-T-018, MSG-T-019, MSG-T-020)', async () => {
  const asked = trail(12);
  draw();
  const box = await screen.findByRole('dialog', { name: 'Activity' });
  expect(
    within(box)
      .getAllByRole('columnheader')
      .map((head) => head.textContent),
  ).toEqual(['User', 'Type', 'Date']);
  expect(await within(box).findByText(/^1–10/)).toBeInTheDocument();
  expect(within(box).getAllByRole('row')).toHaveLength(11);
  await press('Next page', box);
  expect(await within(box).findByText(/^11–12/)).toBeInTheDocument();
  expect(within(box).getAllByRole('row')).toHaveLength(3);
  expect(asked.map(({ path, query }) => [path.type, path.id, query.get('page'), query.get('pageSize')])).toEqual([
    ['message', 'm1', '1', '10'],
    ['message', 'm1', '2', '10'],
  ]);
});

test('the activity is narrowed to a kind and to some days, and says when nothing is left (MSG-R-093, MSG-R-094, MSG-R-097, MSG-T-021)', async () => {
  const asked = trail(0);
  draw();
  expect(await screen.findByText('There are no results matching your criteria.')).toBeInTheDocument();
  await choose('Activity', /^Sent/);
  await waitFor(() => expect(asked.at(-1)!.query.get('eventType')).toBe('Sent'));
  fill('From', '01/01/2001');
  fill('To', '01/02/2001');
  await waitFor(() => expect(asked.at(-1)!.query.get('end')).toBe(endOfDay('2001-01-02')));
  expect(asked.at(-1)!.query.get('start')).toBe(startOfDay('2001-01-01'));
});
