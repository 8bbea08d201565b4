import { expect, test, vi } from 'vitest';
import { type BulkResult, bulk } from './bulk';
import { gatherIds } from './table/useSelection';

const ids = Array.from({ length: 250 }, (_, i) => `${i}`);
const doAll = async (part: string[]): Promise<BulkResult> => ({ done: part, refused: [] });

test('many rows go in calls of a hundred, and each is answered for', async () => {
  const refused = { id: '7', reasons: ['No patient is named.'], canBeConfirmed: true };
  const send = vi.fn(async (part: string[]) => ({ done: part.filter((id) => id !== '7'), refused: part.includes('7') ? [refused] : [] }));
  const result = await bulk(ids, send);
  expect(send.mock.calls.map(([part]) => part.length)).toEqual([100, 100, 50]);
  expect(result.done).toHaveLength(249);
  expect(result.refused).toEqual([refused]);
});

test('what an unreachable server did not get any more is refused; if it got nothing, the call fails', async () => {
  const failing = (after: number) => async (part: string[]) => {
    if (Number(part[0]) >= after) throw new TypeError('no network');
    return doAll(part);
  };
  const { done, refused } = await bulk(ids, failing(100));
  expect(done).toHaveLength(100);
  expect(refused.map((r) => r.id)).toEqual(ids.slice(100));
  expect(refused[0]).toMatchObject({ reasons: [expect.stringContaining('could not be reached')], canBeConfirmed: false });
  await expect(bulk(ids, failing(0))).rejects.toThrow('no network');
});

test('the ids of a list are gathered page by page, up to a limit', async () => {
  const read = async (page: number) => ({ items: ids.slice((page - 1) * 100, page * 100).map((id) => ({ id })) });
  expect(await gatherIds(1000, read)).toEqual(ids);
  expect(await gatherIds(120, read)).toEqual(ids.slice(0, 120));
  expect(await gatherIds(1000, async (page) => (page === 1 ? read(1) : { items: [] }))).toHaveLength(100);
});
