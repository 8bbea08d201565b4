import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { renderApp } from '@/test/render';
import { choiceFor, Select } from './Select';

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

test('choosing again what is chosen empties only a field that may be empty', async () => {
  const change = vi.fn();
  renderApp(
    <>
      <Select label="Release type" required data={['Referral', 'Results']} value="Referral" onChange={change} />
      <Select label="Brand" data={['Northwind', 'Quarry']} value="Quarry" onChange={change} />
    </>,
  );
  await userEvent.click(screen.getByRole('combobox', { name: /Release type/ }));
  await userEvent.click(screen.getByRole('option', { name: 'Referral' }));
  expect(change.mock.calls.filter(([value]) => value === null)).toEqual([]);
  await userEvent.click(screen.getByRole('combobox', { name: 'Brand' }));
  await userEvent.click(screen.getByRole('option', { name: 'Quarry' }));
  expect(change).toHaveBeenLastCalledWith(null);
});
