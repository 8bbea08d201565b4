import { expect, test } from 'vitest';
import { beginEdit, differs, savable, settle, takeIn, takeSaved } from './merge';

const begin = (draft: object) => ({
  ...beginEdit<Record<string, unknown>>({ first: 'Ana', last: 'Ruiz' }, 1),
  draft: { first: 'Ana', last: 'Ruiz', ...draft },
});

test('two people who change different fields lose nothing', () => {
  const edited = takeIn(begin({ first: 'Anna' }), { first: 'Ana', last: 'Ruiz-Vega' }, 2);
  expect(edited).toMatchObject({ draft: { first: 'Anna', last: 'Ruiz-Vega' }, conflicts: [], version: 2 });
  expect(savable(edited)).toEqual({ first: 'Anna', last: 'Ruiz-Vega' });
});

test('of a field that both have changed theirs stays saved and mine stays shown, until somebody chooses', () => {
  const edited = takeIn(begin({ last: 'Ruis' }), { first: 'Ana', last: 'Vega' }, 2);
  expect(edited.conflicts).toEqual(['last']);
  expect(edited.draft.last).toBe('Ruis');
  expect(savable(edited).last).toBe('Vega');
  expect(savable(settle(edited, 'last', 'mine')).last).toBe('Ruis');
  expect(settle(edited, 'last', 'theirs').draft.last).toBe('Vega');
  const later = takeIn(edited, { first: 'Eva', last: 'Vega' }, 3);
  expect(later.conflicts, 'the choice still waits after another change').toEqual(['last']);
  expect(takeIn(edited, { first: 'Ana', last: 'Ruis ' }, 3).conflicts, 'they came to the same').toEqual([]);
});

test('what is typed while a save is under way is no conflict with that save', () => {
  const sent = { first: 'An', last: 'Ruiz' };
  const edited = takeSaved(begin({ first: 'Anna ' }), sent, { first: 'An', last: 'Ruiz' }, 2);
  expect(edited).toMatchObject({ conflicts: [], draft: { first: 'Anna ' } });
  expect(differs(savable(edited), edited.base)).toBe(true);
});

test('the server tidies what it saves, and what is being typed is not rewritten', () => {
  const edited = takeSaved(begin({ first: 'Mary ' }), { first: 'Mary ', last: 'Ruiz' }, { first: 'Mary', last: 'Ruiz' }, 2);
  expect(edited.draft.first).toBe('Mary ');
  expect(differs(savable(edited), edited.base)).toBe(false);
});
