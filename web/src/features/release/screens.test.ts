import { expect, test } from 'vitest';
import { refusal } from '@/app/access';
import { releaseScreens } from './screens';

const person = (role: string, orgIsActivated = true) => ({ roles: [role], brandId: 'carepost', orgIsActivated });
const elsewhere = (role: string, isActivated = true) =>
  Object.fromEntries(releaseScreens.map(({ route, access }) => [route, refusal(access ?? {}, person(role, isActivated), new Set())]));

test.each([
  ['MSG-R-059', '/release/new'],
  ['MSG-R-061', '/release/draft/$id'],
  ['MSG-R-062', '/release/$id'],
  ['MSG-R-064', '/release/forward/$id'],
  ['MSG-R-065', '/release/forward/draft/$id'],
  ['MSG-R-066', '/release/reply/$id'],
])('%s: %s is for administrators and users; others go to their own start page', (_, route) => {
  expect([elsewhere('Administrator')[route], elsewhere('User')[route]]).toEqual([null, null]);
  expect(elsewhere('SysAdmin')[route]).toBe('/admin/dashboard/messaging');
});

test('while the organization is not activated nothing new is written, and drafts and what was sent stay readable (MSG-R-060)', () => {
  const closed = Object.entries(elsewhere('Administrator', false)).filter(([, to]) => to !== null);
  expect(closed).toEqual(['/release/new', '/release/forward/$id', '/release/reply/$id'].map((route) => [route, '/release']));
});
