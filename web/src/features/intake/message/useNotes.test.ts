import { expect, test } from 'vitest';
import { colleaguesFor, mentionedIn, nameBegun } from './useNotes';

const people = [
  { id: 'p', name: 'Priya Nandakumar' },
  { id: 'd', name: 'Dana Whitfield' },
];

test('a name is suggested while it is typed behind an @', () => {
  expect(colleaguesFor(nameBegun('Please look @'), people)).toHaveLength(2);
  expect(colleaguesFor(nameBegun('Please look @nand'), people).map((p) => p.id)).toEqual(['p']);
  expect(nameBegun('records@larkfield')).toBeNull();
  expect(colleaguesFor(nameBegun('nobody is named'), people)).toEqual([]);
});

test('people are mentioned by their whole names', () => {
  expect(mentionedIn('@priya nandakumar please, with @Dana', people)).toEqual(['p']);
});
