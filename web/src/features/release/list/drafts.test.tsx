import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type { ReleaseItem } from '@/api/types';
import { answer } from '@/test/answers';
import { person } from '@/test/intake';
import { renderScreen } from '@/test/render';
import { ReleasePage } from './ReleasePage';

vi.mock('@/app/session', () => ({ useProfile: () => person(), queryClient: {} }));

const draft = (n: number) => ({ id: `d${n}`, subject: `Draft ${n}`, createdDate: '2026-11-20T10:00:00Z', status: 'Saved', isDraft: true });
/** A server with drafts, the list of which is open. */
function open(count: number, address: string) {
  let drafts: ReleaseItem[] = Array.from({ length: count }, (_, n) => draft(n));
  const asked = answer('post', '/api/messages/_search', ({ body }) => {
    const [page, size] = [Number(body.pageStart), Number(body.pageSize)];
    return { items: drafts.slice((page - 1) * size, page * size), totalCount: drafts.length, totalIsCapped: false } as never;
  });
  const acts = answer('post', '/api/messages/bulk', ({ body }) => {
    drafts = drafts.filter((d) => !body.ids.includes(d.id));
    return { done: body.ids, refused: [] };
  });
  const router = renderScreen(<ReleasePage />, address);
  return { asked, acts, router };
}
const shown = (subject: string) => screen.findByText(subject);
const click = async (name: string | RegExp) => userEvent.click((await screen.findAllByRole('button', { name }))[0]!);

beforeEach(() => {
  setToken({ accessToken: 'a', expiresIn: 900 });
  answer('get', '/api/failedmessages', { items: [], totalCount: 0 } as never);
  answer('get', '/api/messages/bulk/jobs', { items: [] });
  answer('get', '/api/users/current', { ...person(), userPreferences: {} } as never);
});

test('many drafts are discarded at once, also those of other pages', async () => {
  const { acts } = open(11, '/release?view=drafts&size=10');
  await shown('Draft 9');
  await userEvent.click(screen.getByRole('checkbox', { name: 'Select all on this page' }));
  await click('Select all 11');
  await screen.findByText('11 selected');
  await click('Discard');
  const question = within(await screen.findByRole('dialog', { name: 'Discard 11 drafts?' }));
  expect(acts).toEqual([]);
  await userEvent.click(question.getByRole('button', { name: 'Discard' }));
  expect(await screen.findByText('11 drafts discarded.')).toBeInTheDocument();
  expect(await screen.findByRole('heading', { name: 'No drafts' })).toBeInTheDocument();
  expect(acts.map(({ body }) => [body.act, body.ids.length])).toEqual([['delete', 11]]);
});

test('a row is a link, which a click with Ctrl leaves to the browser and its new tab', async () => {
  const { router } = open(1, '/release');
  const link = (await shown('Draft 0')).closest('a')!;
  expect(link).toHaveAttribute('href', '/release/draft/d0');
  // Events that the app leaves to the browser arrive here; jsdom has no tabs.
  window.addEventListener('click', (e) => e.preventDefault(), { once: true });
  fireEvent.click(link, { ctrlKey: true });
  expect(router.state.location.pathname).toBe('/release');
  fireEvent.click(link);
  await waitFor(() => expect(router.state.location.pathname).toBe('/release/draft/d0'));
});

test('releases are asked for in another order and of some days', async () => {
  vi.setSystemTime(new Date(2026, 10, 20, 12));
  try {
    const { asked } = open(1, '/release');
    await shown('Draft 0');
    const last = (name: 'orderBy' | 'orderDir' | 'startDate' | 'endDate') => asked.at(-1)?.body[name];
    expect([last('orderBy'), last('startDate')]).toEqual([undefined, undefined]);
    await userEvent.click(within(screen.getByRole('columnheader', { name: 'Date' })).getByRole('button'));
    await waitFor(() => expect([last('orderBy'), last('orderDir')]).toEqual(['createdDate', 'asc']));
    await userEvent.click(screen.getByText('Date', { selector: '.cp-filter-open' }));
    await click('Yesterday');
    await waitFor(() => expect(last('startDate')).toBe(new Date(2026, 10, 19).toISOString()));
    expect(last('endDate')).toBe(new Date(2026, 10, 19, 23, 59, 59, 999).toISOString());
  } finally {
    vi.useRealTimers();
  }
});
