import { describe, expect, test } from 'vitest';
import type { User } from '@/api/types';
import { permissions } from '@/test/session';
import { inputOf, KEPT_JOB, placesText, userChecks, valuesOf } from './rules';
import { usersSearch } from './search';

const priya = {
  userName: 'priya@larkfield.example',
  firstName: 'Priya',
  lastName: 'N.',
  phoneNumber: '5550100101',
  roleName: 'User',
  permissions: permissions({ openRestricted: false }),
} as User;

describe('the form of a user', () => {
  test('asks for all but the phone', () => {
    const empty = valuesOf(null);
    const wrong = Object.entries(userChecks).filter(([field, check]) => check(empty[field as keyof typeof userChecks]));
    expect(wrong.map(([field]) => field)).toEqual(['userName', 'firstName', 'lastName', 'jobFunctionId']);
  });
  test('keeps a job function that is no longer offered', () => {
    const values = valuesOf(priya);
    expect(values.jobFunctionId).toBe(KEPT_JOB);
    expect(inputOf(values, 3)).toMatchObject({ jobFunctionId: null, phoneNumber: '5550100101', version: 3 });
  });
  test('keeps whether restricted documents may be opened, which new people may', () => {
    expect([valuesOf(null).permissions, inputOf(valuesOf(priya), 3).permissions]).toEqual([
      permissions(),
      permissions({ openRestricted: false }),
    ]);
  });
  test('takes a phone of ten digits, or none', () => {
    expect(['', '(555) 010-0101', '555'].map((v) => userChecks.phoneNumber(v) === null)).toEqual([true, true, false]);
  });
});

describe('the list of users', () => {
  test('knows the filters of its address and drops others', () => {
    expect(usersSearch({ status: 'Invited', role: 'SysAdmin', search: 'priya' })).toMatchObject({
      status: 'Invited',
      role: undefined,
      search: 'priya',
    });
  });
  test('counts the users against the plan', () => {
    expect([placesText(4, 5), placesText(1200, -1)]).toEqual(['4 of 5 places', '1,200 active']);
  });
});
