import { expect, test } from 'vitest';
import { choiceFor } from './Select';

const choices = ['Female', 'Male', 'Maybe', 'Unknown'].map((label) => ({ value: label[0]! + label.at(-1), label }));
const chosen = (typed: string, current: string | null = null) => choiceFor(choices, typed, current)?.label;

test('letters choose what begins with them, and one letter goes through all of its choices', () => {
  expect(chosen('f')).toBe('Female');
  expect(chosen('may')).toBe('Maybe');
  expect(chosen('m', 'Me')).toBe('Maybe');
  expect(chosen('mm', 'My')).toBe('Male');
  expect(chosen('x')).toBeUndefined();
  expect(chosen('fx')).toBeUndefined();
});
