import { expect, test } from 'vitest';
import type { IntakeItem, IntakePage } from '@/api/types';
import { findTrail, leaveTrail, markDone, markOpen, placeOf, readOn } from './trail';

const stop = (id: string) => ({ id, subject: id, patientName: '', sourceType: 'Fax', fromName: '', fromAddress: '' }) as IntakeItem;
const answer = (...ids: string[]) => Promise.resolve({ items: ids.map(stop), totalCount: ids.length } as IntakePage);
const leave = (ids: string[], total = ids.length) =>
  leaveTrail({ request: {}, optimized: true, stops: ids.map(stop), offset: 0, total, capped: false });

test('the next message is the next that is not done, and at the end one that was skipped', () => {
  leave(['a', 'b', 'c']);
  expect(placeOf('a')).toMatchObject({ position: 1, total: 3, nextId: 'b', nextOpenId: 'b', previousId: null, left: 2 });
  markDone('b');
  expect(placeOf('a')).toMatchObject({ nextId: 'b', nextOpenId: 'c', left: 1 });
  markDone('c');
  expect(placeOf('c')).toMatchObject({ nextOpenId: 'a' });
  markDone('a');
  expect(placeOf('c')?.nextOpenId).toBeNull();
  markOpen('b');
  expect(placeOf('c')?.nextOpenId).toBe('b');
});

test('the trail goes on behind its page, without what it has already', async () => {
  leave(['a', 'b'], 4);
  markDone('a');
  expect(placeOf('b')).toMatchObject({ nextOpenId: null, isEnding: true });
  await readOn(() => answer('b', 'c', 'd'));
  expect(placeOf('b')).toMatchObject({ nextOpenId: 'c', left: 2, isEnding: false });
});

test('a message opened by its address has its place in the default list, or none', async () => {
  leave([]);
  await findTrail('z', {}, true, () => answer('x', 'y'));
  expect(placeOf('z')).toBeNull();
  await findTrail('y', {}, true, () => answer('x', 'y'));
  expect(placeOf('y')).toMatchObject({ position: 2, previousId: 'x', isBehind: false });
});
