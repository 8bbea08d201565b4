import { describe, expect, test } from 'vitest';
import type { DocumentSource } from '@/api/types';
import { FAX, releaseType } from '@/test/fixtures';
import { emptyValues } from './model';
import { applyType, changeTo, locksOf } from './releaseType';

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
