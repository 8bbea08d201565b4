import { expect, test } from 'vitest';
import { isWorthRemembering, rememberUrl, storedUrl, takeStoredUrl } from './redirectMemory';

test('sign-in pages and bare roots are not remembered (SES-R-042, SES-R-043, SES-R-044, SES-R-045, SES-R-046, SES-R-047, SES-R-048, SES-R-049, SES-R-050, SES-R-051)', () => {
  for (const href of [
    '/unauthorized',
    '/access-denied?x=1',
    '/auth-error',
    '/callback?code=1',
    '/account/login/acme',
    '/account/register',
    '/account/logout',
    '/?email=a@b.example',
    '/',
    '/admin',
    '/Account/Login',
  ]) {
    expect(isWorthRemembering(href)).toBe(false);
  }
});

test('other places are, also those that only begin with / or /admin (SES-R-052)', () => {
  for (const href of ['/intake?status=Failed', '/admin/dashboard/messaging', '/release/new']) expect(isWorthRemembering(href)).toBe(true);
});

test('addresses of other sites are never returned to', () => {
  for (const href of ['//evil.example', 'https://evil.example/x']) expect(isWorthRemembering(href)).toBe(false);
});

test('a remembered place is used once', () => {
  rememberUrl('/intake/7');
  rememberUrl('/account/login');
  expect(storedUrl()).toBe('/intake/7');
  expect(takeStoredUrl()).toBe('/intake/7');
  expect(takeStoredUrl()).toBeNull();
});
