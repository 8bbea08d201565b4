import { describe, expect, test } from 'vitest';
import type { Profile } from '@/api/types';
import { isPlanRestricted, noteScreen, planGate, stayedOn } from './upgrade';

const profile = (over: Partial<Profile>): Profile => ({
  userId: 'u',
  userName: 'u',
  fullName: 'U',
  roles: ['User'],
  organizations: [],
  ...over,
});
const restricted = profile({ uiResources: { releaseRoute: ['plan-upgrade-prompt'] } });

const targetOf = (run: () => void) => {
  try {
    run();
  } catch (error) {
    return (error as { options?: { href?: string } }).options?.href;
  }
  return undefined;
};

describe('a plan that lacks a function', () => {
  test('names the resources it restricts (MSG-R-051)', () => {
    expect(isPlanRestricted(restricted, 'releaseRoute')).toBe(true);
    expect(isPlanRestricted(restricted, 'forward')).toBe(false);
    expect(isPlanRestricted(profile({}), 'releaseRoute')).toBe(false);
  });
  test('lets everything else through', () => {
    expect(targetOf(() => planGate(restricted, 'reply', '/intake'))).toBeUndefined();
  });
  test('keeps the person on the screen in view (MSG-R-052)', () => {
    expect(targetOf(() => planGate(restricted, 'releaseRoute', '/intake?page=2'))).toBe('/intake?page=2');
  });
  test('leads to the landing page of the role on the first load (MSG-R-053)', () => {
    expect(targetOf(() => planGate(restricted, 'releaseRoute', undefined))).toBe('/intake');
    expect(targetOf(() => planGate({ ...restricted, roles: ['Administrator'] }, 'releaseRoute', undefined))).toBe('/account/dashboard');
  });
  test('keeps a cancelled screen closed without asking (MSG-R-054, SES-R-060)', () => {
    const cancelled = profile({ uiResources: { releaseRoute: ['cancel'] } });
    expect(isPlanRestricted(cancelled, 'releaseRoute')).toBe(false);
    expect(targetOf(() => planGate(cancelled, 'releaseRoute', '/intake?page=2'))).toBe('/intake?page=2');
    expect(targetOf(() => planGate(cancelled, 'reply', '/intake'))).toBeUndefined();
  });
  test('counts the way in from the sign-in page as a first load', () => {
    noteScreen('/account/login');
    expect(stayedOn({ location: { href: '/release' } })).toBeUndefined();
    noteScreen('/intake');
    expect(stayedOn({ location: { href: '/release' } })).toBe('/intake');
  });
});
