import { expect, test } from 'vitest';
import { checksOf, choiceField, textField } from './fields';

const fields = {
  kind: choiceField('Kind', [{ value: 'a', label: 'A' }]),
  name: textField('Name', { required: 'Name is required.', when: (values, isNew) => isNew && values.kind === 'a' }),
  again: textField('Again', { check: (value, values) => (value === values.name ? null : 'Not the same.') }),
};

test('a field that is not shown is not checked', () => {
  const { name } = checksOf(fields);
  expect([name('', { kind: 'a' }), name('', { kind: null })]).toEqual(['Name is required.', null]);
  expect(checksOf(fields, {}, false).name('', { kind: 'a' })).toBeNull();
});

test('a check can compare fields', () => {
  const { again } = checksOf(fields);
  expect([again('x', { name: 'x' }), again('y', { name: 'x' })]).toEqual([null, 'Not the same.']);
});
