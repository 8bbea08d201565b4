import { expect, test } from 'vitest';
import { actWords, foldRepeats, kindWords } from './activity';

const entry = (eventType: string, by: string, what = '') => ({ eventType, by, what });
const fold = (entries: ReturnType<typeof entry>[]) =>
  foldRepeats(entries, (e) => e.by).map(({ entry: e, times }) => `${e.eventType} ${e.by} ${times}`);

test('looks at the same thing in a row become one entry', () => {
  const viewed = entry('Viewed', 'Dana');
  expect(fold([viewed, viewed, entry('Viewed', 'Sam'), viewed])).toEqual(['Viewed Dana 2', 'Viewed Sam 1', 'Viewed Dana 1']);
});

test('changes are never folded', () => {
  const changed = entry('Changed', 'Dana', 'patient');
  expect(fold([changed, changed])).toEqual(['Changed Dana 1', 'Changed Dana 1']);
});

test('acts are told in words', () => {
  expect(actWords('SignedIn')).toBe('Signed in');
  expect(actWords('SignatureRequested')).toBe('Signature requested');
  expect(actWords('Viewed')).toBe('Viewed');
  expect(['releasetype', 'message'].map(kindWords)).toEqual(['Release type', 'Message']);
});
