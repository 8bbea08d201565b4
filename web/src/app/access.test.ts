import { expect, test } from 'vitest';
import { hasRole, landingOf, refusal } from './access';

const person = (...roles: string[]) => ({ roles, brandId: 'carepost', orgIsActivated: true });
const none = new Set<string>();

test('each role has its landing page, and Administrator takes precedence (SES-R-033, SES-R-296)', () => {
  expect(landingOf(person('User'))).toBe('/intake');
  expect(landingOf(person('Administrator'))).toBe('/account/dashboard');
  expect(landingOf(person('SysAdmin'))).toBe('/admin/dashboard/messaging');
  expect(landingOf(person('SysAdminReporting'))).toBe('/admin/dashboard/messaging');
  expect(landingOf(person('SysAdmin', 'Administrator'))).toBe('/account/dashboard');
});

test('users who only work for a network land there, and may open what its administrators may', () => {
  const network = { ...person(), administerOfNetworkObjectId: 'n1' };
  expect(landingOf(network)).toBe('/networks/n1/details');
  expect(landingOf({ ...network, roles: ['User'] })).toBe('/intake');
  expect(landingOf({ ...network, roles: ['SysAdmin'] })).toBe('/admin/dashboard/messaging');
  const need = { roles: ['SysAdmin'], networkAdmins: true };
  expect(refusal(need, network, none)).toBeNull();
  expect(refusal(need, person('SysAdmin'), none)).toBeNull();
  expect(refusal(need, person('Administrator'), none)).toBe('/unauthorized');
  expect(refusal({ roles: ['SysAdmin'] }, network, none)).toBe('/unauthorized');
});

test('a role check takes a list or a comma-separated text and passes when any matches (SES-R-298, SES-R-299, SES-R-300, SES-S-070)', () => {
  expect(hasRole(person('User'), ['Administrator', 'User'])).toBe(true);
  expect(hasRole(person('User'), 'Administrator, User')).toBe(true);
  expect(hasRole(person('User'), 'SysAdmin')).toBe(false);
});

test('a missing role leads to /unauthorized, or to the landing page where the screen says so', () => {
  expect(refusal({ roles: ['SysAdmin'] }, person('User'), none)).toBe('/unauthorized');
  expect(refusal({ landingRoles: ['Administrator'] }, person('User'), none)).toBe('/intake');
  expect(refusal({ roles: ['SysAdmin'] }, person('SysAdmin'), none)).toBeNull();
});

test('another brand leads home, also for system administrators (SES-R-053, SES-R-054)', () => {
  expect(refusal({ brands: ['bluestem'] }, person('User'), none)).toBe('/intake');
  expect(refusal({ brands: ['bluestem'] }, person('SysAdmin'), none)).toBe('/admin/dashboard/messaging');
});

test('a missing feature sends an administrator to the dashboard and a user to the Intake (SES-R-056)', () => {
  expect(refusal({ features: ['A', 'B'] }, person('Administrator'), new Set(['A']))).toBe('/account/dashboard');
  expect(refusal({ features: ['A'] }, person('User'), none)).toBe('/intake');
  expect(refusal({ features: ['A'] }, person('User'), new Set(['A']))).toBeNull();
});

test('a screen may wait for the activation of the organization', () => {
  expect(refusal({ whenNotActivated: '/release' }, { ...person('User'), orgIsActivated: false }, none)).toBe('/release');
  expect(refusal({ whenNotActivated: '/release' }, person('User'), none)).toBeNull();
});
