import { afterEach, expect, test, vi } from 'vitest';
import { localStore, sessionStore } from './storage';

afterEach(() => vi.restoreAllMocks());

test('what is remembered in the browser goes by prefixed names (SES-R-372)', () => {
  localStore.set('lastActivity', '1');
  sessionStore.set('redirectUrl', '/intake');
  expect([Object.keys(localStorage), Object.keys(sessionStorage)]).toEqual([['carepost.lastActivity'], ['carepost.redirectUrl']]);
  sessionStore.set('redirectUrl', null);
  expect(Object.keys(sessionStorage)).toEqual([]);
});

test('where the browser refuses storage, what is remembered lives as long as the page', () => {
  vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new Error('refused');
  });
  vi.spyOn(Storage.prototype, 'getItem').mockImplementation(() => {
    throw new Error('refused');
  });
  sessionStore.set('redirectUrl', '/intake');
  expect(sessionStore.get('redirectUrl')).toBe('/intake');
});
