import { expect, test } from 'vitest';
import { typedPatient } from './typed';

const today = new Date(2026, 10, 20);

test('a patient is typed in one line, the last name first or last', () => {
  const rivera = { firstName: 'Marisol', lastName: 'Rivera', birthDate: '1970-04-12' };
  expect(typedPatient('rivera, marisol 4/12/1970 f', today)).toEqual({ ...rivera, gender: 'F' });
  expect(typedPatient('Marisol Rivera 04/12/1970', today)).toEqual(rivera);
  expect(typedPatient('de la Cruz, Ana', today)).toEqual({ firstName: 'Ana', lastName: 'de la Cruz' });
});

test('half a name, or a date that is none, is not a patient', () => {
  expect(typedPatient('Rivera', today)).toBeNull();
  expect(typedPatient('Marisol Rivera 13/45/1970', today)).toBeNull();
});
