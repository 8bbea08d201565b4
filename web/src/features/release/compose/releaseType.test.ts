import { describe, expect, test } from 'vitest';
import type { DocumentSource } from '@/api/types';
import { FAX, releaseType } from '@/test/fixtures';
import { emptyValues } from './model';
import { applyType, changeTo, firstType, fixesTo, leavesWith, locksOf } from './releaseType';

const sources: DocumentSource[] = [
  { id: 's1', fullAddress: 'front@larkfield.direct.example', type: 'DirectMessage', status: 1, displayName: '' },
];
const plain = releaseType({ classificationCode: '57133-1' });
const quick = releaseType({
  id: 't2',
  name: 'Records',
  conversion: 'Pdf',
  originAddressId: 's1',
  destinationAddress: 'intake@summit.direct.example',
});
const start = emptyValues(FAX);

describe('the release type to begin with', () => {
  const other = releaseType({ id: 't3', name: 'Other' });
  const own = releaseType({ id: 't4', name: 'Cardiology', organizationId: 'o', classificationCode: '57133-1' });
  const retired = releaseType({ id: 't5', isRetired: true, classificationCode: '57133-1' });
  const types = [other, quick, retired, own, plain];
  const first = (isReferral: boolean, last: string) => firstType(types, { isReferral, last })?.id;
  test('of a referral is that of referrals, whatever was used last', () => {
    expect(first(true, 't3')).toBe('t1');
    expect(first(true, '')).toBe('t1');
    expect(first(true, 't5')).toBe('t1');
    expect(first(true, 't4')).toBe('t4');
    expect(firstType([other, quick], { isReferral: true, last: 't3' })).toBeUndefined();
  });
  test('of any other release is the one used last, unless it fixes both ends or is no longer offered', () => {
    expect(first(false, 't3')).toBe('t3');
    expect(first(false, 't2')).toBeUndefined();
    expect(first(false, 't5')).toBeUndefined();
  });
});

describe('choosing a release type', () => {
  test('fills subject, origin, destination, classification and conversion (MSG-R-243)', () => {
    const v = applyType(start, { ...quick, classificationCode: 'c' }, { before: undefined, sources });
    expect(v).toMatchObject({
      releaseTypeId: 't2',
      subject: 'Records',
      from: 'front@larkfield.direct.example',
      to: ['intake@summit.direct.example'],
      classification: 'c',
      conversion: 'Pdf',
    });
  });
  test('leaves a subject that was typed', () => {
    expect(applyType({ ...start, subject: 'Mine' }, plain, { before: undefined, sources }).subject).toBe('Mine');
  });
  test('takes back what the type before had filled', () => {
    const first = applyType(start, quick, { before: undefined, sources });
    const second = applyType(first, plain, { before: quick, sources });
    expect(second).toMatchObject({ subject: 'Referral', to: [], classification: '57133-1' });
  });
  test('fixes From with an origin, and To as well in a quick release (MSG-R-069, MSG-R-073, MSG-R-244)', () => {
    expect(locksOf(quick)).toEqual({ from: true, to: true });
    expect(locksOf({ ...quick, destinationAddress: null })).toEqual({ from: true, to: false });
    expect(locksOf({ ...quick, originAddressId: null })).toEqual({ from: false, to: false });
    expect(locksOf(undefined)).toEqual({ from: false, to: false });
  });
});

describe('the recipients', () => {
  test('are fixed by a quick release as long as nobody else was entered, who could not be taken out (MSG-R-073)', () => {
    const destination = quick.destinationAddress!;
    expect(fixesTo(quick, [destination])).toBe(true);
    expect(fixesTo(quick, [destination, 'other@x.example'])).toBe(false);
    expect(fixesTo(quick, [])).toBe(false);
    expect(fixesTo(plain, ['other@x.example'])).toBe(false);
  });
  test('that a type had filled are named when they leave with it', () => {
    const before = applyType(start, quick, { before: undefined, sources });
    const after = applyType(before, plain, { before: quick, sources });
    expect(leavesWith(quick, before.to, after)).toBe(quick.destinationAddress);
    expect(leavesWith(plain, before.to, after)).toBeUndefined();
  });
  const type = { ...quick, originAddressId: null };
  const filled = applyType(start, type, { before: undefined, sources });
  test('removing or changing the destination of the type clears the type (MSG-R-245, MSG-R-246)', () => {
    expect(changeTo(filled, [], type).releaseTypeId).toBeNull();
    expect(changeTo(filled, ['other@x.example'], type)).toMatchObject({ releaseTypeId: null, to: ['other@x.example'] });
  });
  test('adding one keeps the type', () => {
    expect(changeTo(filled, [...filled.to, 'other@x.example'], type).releaseTypeId).toBe('t2');
  });
  test('a type without a destination stays whatever happens to them', () => {
    expect(changeTo({ ...start, releaseTypeId: 't1', to: ['a@b.example'] }, [], plain).releaseTypeId).toBe('t1');
  });
});
