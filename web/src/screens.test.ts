import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import type { Profile } from './api/types';
import { refusal } from './app/access';
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

test('the sidebar shows what a person may see, in the order of the areas (SES-R-004)', () => {
  expect(shown(person(['Administrator', 'User']), ['PointClickCareIdentityProvider'])).toEqual([
    [undefined, 'Intake', 'Triage', 'Release', 'Referrals', 'Patients', 'Signatures', 'Activity', 'Support'],
    [
      'Administration',
      'Dashboard',
      'Users',
      'Fax',
      'Direct addresses',
      'Intake rules',
      'Document types',
      'Release types',
      'Documents',
      'Plan',
      'Security',
      'Single sign-on',
      'Integrations',
      'Webhooks',
      'Service accounts',
    ],
  ]);
  expect(shown(person(['User']))).toEqual([
    [undefined, 'Intake', 'Triage', 'Release', 'Referrals', 'Patients', 'Signatures', 'Activity', 'Support'],
  ]);
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
      'Quarantine',
      'Audits',
      'API capture',
    ],
    ['Tenants', 'Organizations', 'Batch imports', 'Users', 'Identity proofing', 'Networks', 'Emergencies', 'Unknown faxes'],
    [
      'Platform',
      'Features',
      'Licence keys',
      'Routing rules',
      'Inbound interfaces',
      'Integrations',
      'Trust',
      'Brands',
      'Plans',
      'Resellers',
      'EULA',
      'Reserved words',
      'Setup',
    ],
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

test('the console is for operators, and reporting sees its dashboards and reports alone (ADA-R-325, ADA-R-326, ADA-R-327, ADB-R-001, ADB-R-002, ADB-R-004, ADB-R-005, ADA-S-001)', () => {
  const console = screens.filter(({ route }) => /^\/admin(\/|$)/.test(route));
  const openTo = (...roles: string[]) =>
    console.filter((s) => s.access && !refusal(s.access, person(roles), new Set())).map((s) => s.route);
  const described = console.filter((s) => s.access).map((s) => s.route);
  expect(described).toContain('/admin/messageroutingrules');
  const parts = ['organizations', 'users', 'reports', 'utils', 'emergencies', 'eulas', 'batchimports', 'reservedwords'];
  expect(described).toEqual(expect.arrayContaining(parts.map((part) => `/admin/${part}`)));
  expect(openTo('SysAdmin')).toEqual(described);
  expect(openTo('Administrator', 'User')).toEqual([]);
  expect(openTo('SysAdminReporting').sort()).toEqual([
    '/admin/dashboard/messaging',
    '/admin/dashboard/messaging/workflows',
    '/admin/reports',
  ]);
});

test('all screens for operators alone are under /admin (ADA-R-040)', () => {
  const isOperators = ({ access }: (typeof screens)[number]) =>
    access?.roles?.every((role) => role.startsWith('SysAdmin')) && !access.networkAdmins;
  const routes = screens.filter(isOperators).map(({ route }) => route);
  expect(routes.length).toBeGreaterThan(30);
  expect(routes.filter((route) => !route.startsWith('/admin/'))).toEqual([]);
});
