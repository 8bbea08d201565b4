import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import type { ReleaseItem } from '@/api/types';
import { answer } from '@/test/answers';
import { openRelease, releaseServer } from '@/test/release';
import { ReleasePage } from './ReleasePage';

const row = (over: Partial<ReleaseItem>) =>
  ({
    id: 'm1',
    subject: 'Right knee',
    createdDate: '2026-11-20T10:00:00Z',
    status: 'Sent',
    isDraft: false,
    toAddresses: [],
    ...over,
  }) as ReleaseItem;
const open = async (items: ReleaseItem[], { address = '/release', ...known }: { address?: string; isActivated?: boolean } = {}) => {
  const server = releaseServer(known);
  answer('get', '/api/messages/bulk/jobs', { items: [] });
  answer('get', '/api/failedmessages', { items: [], totalCount: 0 } as never);
  const asked = answer('post', '/api/messages/_search', ({ body }) => {
    const found = body.filter === 'zzqx' ? [] : items;
    return { items: found, totalCount: found.length, totalIsCapped: false } as never;
  });
  const at = openRelease(address, <ReleasePage />);
  await screen.findByRole('row', { name: /Right knee/ });
  return { ...server, ...at, asked };
};

test('a draft is saved, and names three of its recipients and how many more there are (MSG-S-069, MSG-R-253, MSG-R-465, MSG-R-467, MSG-T-123)', async () => {
  const toAddresses = ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}@x.example`);
  const { removed } = await open([row({ isDraft: true, toAddresses })]);
  const draft = screen.getByRole('row', { name: /Right knee/ });
  expect(draft).toHaveTextContent('a@x.example; b@x.example; c@x.example +2 more');
  expect(draft).toHaveTextContent('Saved');
  await userEvent.click(screen.getByRole('button', { name: 'Actions for Right knee' }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Delete' }));
  await userEvent.click(within(await screen.findByRole('dialog', { name: 'Delete Message' })).getByRole('button', { name: 'OK' }));
  await waitFor(() => expect(removed.map(({ path }) => path.id)).toEqual(['m1']));
});

test('drafts and sent messages have views of their own, in the address; words that may name a patient are not (MSG-S-013)', async () => {
  const { asked, where } = await open([row({})]);
  expect(asked.at(-1)!.body.isDraft).toBeUndefined();
  await userEvent.click(screen.getByRole('radio', { name: 'Drafts' }));
  await waitFor(() => expect(asked.at(-1)!.body.isDraft).toBe(true));
  expect(where()).toBe('/release?view=drafts');
  await userEvent.click(screen.getByRole('radio', { name: 'Sent' }));
  await waitFor(() => expect(asked.at(-1)!.body.isDraft).toBe(false));
  await userEvent.type(screen.getByLabelText('Search releases'), 'zzqx');
  expect(await screen.findByRole('heading', { name: 'No release matches these filters' })).toBeInTheDocument();
  expect(asked.at(-1)!.body.filter).toBe('zzqx');
  expect(where()).toBe('/release?view=sent');
  await userEvent.click(screen.getByRole('button', { name: 'Clear filters' }));
  expect(await screen.findByRole('row', { name: /Right knee/ })).toBeInTheDocument();
});

test.each([true, false])('a new release is offered where the organization is activated: %j (MSG-R-060)', async (isActivated) => {
  await open([row({})], { isActivated });
  expect(screen.queryByRole('button', { name: 'New release' }) !== null).toBe(isActivated);
});
