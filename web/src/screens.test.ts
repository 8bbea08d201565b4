import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import type { Profile } from './api/types';
import { navFor } from './app/screens';
import { screens } from './screens';

vi.mock('./app/session', () => ({ guard: vi.fn() }));

const person = (roles: string[], more: Partial<Profile> = {}) =>
  ({ userId: 'u', userName: 'u', fullName: 'U', roles, organizations: [], ...more }) as Profile;
const shown = (profile: Profile, features: string[] = []) =>
  navFor(screens, profile, new Set(features)).map((g) => [g.head, ...g.items.map((i) => i.label)]);

test('every route behind sign-in is described, and once', () => {
  const routeTree = readFileSync('src/routeTree.gen.ts', 'utf8');
  const behind = [...routeTree.matchAll(/id: '(\/_app\/[^']*)'/g)].map((m) => m[1]!.slice('/_app'.length).replace(/(.)\/$/, '$1'));
  expect(behind.length).toBeGreaterThan(20);
  expect(screens.map((s) => s.route).sort()).toEqual([...new Set(behind)].sort());
});

test('the sidebar shows what a person may see, in the order of the areas', () => {
  expect(shown(person(['Administrator', 'User']), ['PointClickCareIdentityProvider'])).toEqual([
    [undefined, 'Intake', 'Release', 'Activity', 'Support'],
    [
      'Administration',
      'Dashboard',
      'Users',
      'Fax',
      'Release types',
      'Documents',
      'Plan',
      'Security',
      'Single sign-on',
      'Webhooks',
      'Service accounts',
    ],
  ]);
  expect(shown(person(['User']))).toEqual([[undefined, 'Intake', 'Release', 'Activity', 'Support']]);
  expect(shown(person(['SysAdminReporting']))).toEqual([['Operate', 'Messaging health', 'Reports']]);
  expect(shown(person([], { administerOfNetworkObjectId: 'n1' }))).toEqual([['Networks', 'Your network']]);
  const operator = shown(person(['SysAdmin'], { administerOfNetworkObjectId: 'n1' }));
  expect(operator.slice(0, 3)).toEqual([
    [
      'Operate',
      'Messaging health',
      'Reports',
      'Workflows',
      'Messages',
      'Statistics',
      'Support tickets',
      'Message Utilities',
      'Audits',
      'API capture',
    ],
    ['Tenants', 'Organizations', 'Batch imports', 'Users', 'Identity proofing', 'Networks', 'Emergencies', 'Unknown faxes'],
    ['Platform', 'Features', 'Licence keys', 'Integrations', 'Brands', 'Plans', 'Resellers', 'EULA', 'Reserved words', 'Setup'],
  ]);
  expect(operator[3]).toEqual([
    'Vocabulary',
    'Specialties',
    'Organization types',
    'Document types',
    'Release types',
    'Classifications',
    'Purposes of use',
    'Job functions',
    'Applications',
    'Licence types',
    'HISP providers',
  ]);
});
