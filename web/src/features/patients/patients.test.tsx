import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type { DuplicatePair, KnownPatient, PatientView } from '@/api/types';
import { answer } from '@/test/answers';
import { person } from '@/test/intake';
import { renderScreen } from '@/test/render';
import { PatientPage } from './PatientPage';
import { PatientsPage } from './PatientsPage';

vi.mock('@/app/session', () => ({ useProfile: () => person(), useFeature: () => false, useHasRole: () => false }));

const at = '2026-11-20T12:00:00Z';
const known = (id: string, firstName: string): KnownPatient => ({
  id,
  patient: { firstName, lastName: 'Tenney', birthDate: '1961-03-14', patientId: id, patientIds: [], knownPatientId: id },
  messageCount: 2,
  lastDate: at,
  contradictions: [],
});
const pair = {
  one: known('a', 'Marisol'),
  other: known('b', 'Marisa'),
  percent: 71,
  fields: [
    { field: 'firstName', agreement: 'Similar' },
    { field: 'birthDate', agreement: 'Agrees' },
  ],
} satisfies DuplicatePair;

beforeEach(() => setToken({ accessToken: 'a', expiresIn: 900 }));

function withPairs(first: DuplicatePair[]) {
  let pairs = first;
  answer('get', '/api/patients/duplicates', () => ({ items: pairs, totalCount: pairs.length, totalIsCapped: false }));
  const decide = () => {
    pairs = [];
    return { eventId: 'e1' };
  };
  return {
    merged: answer('post', '/api/patients/{id}/merge', decide),
    apart: answer('post', '/api/patients/{id}/distinct', decide),
    undone: answer('post', '/api/patients/events/{eventId}/undo', () => {
      pairs = first;
      return undefined as never;
    }),
  };
}

test('two patients are shown side by side; one key merges them, and the notice takes it back', async () => {
  const { merged, undone } = withPairs([pair]);
  renderScreen(<PatientsPage />, '/patients');
  const row = await screen.findByRole('listitem', { name: 'Tenney, Marisol and Tenney, Marisa' });
  expect(within(row).getByRole('row', { name: /Name.*Marisol.*Marisa.*Similar/ })).toBeInTheDocument();
  await userEvent.keyboard('m');
  expect(await screen.findByText('No possible duplicates')).toBeInTheDocument();
  expect(merged.map(({ path, body }) => [path, body])).toEqual([[{ id: 'a' }, { otherId: 'b' }]]);
  await userEvent.click(screen.getByText('Undo'));
  expect(await screen.findByRole('listitem', { name: /Marisa/ })).toBeInTheDocument();
  expect(undone).toHaveLength(1);
});

test('another key says that they are two people', async () => {
  const { merged, apart } = withPairs([pair]);
  renderScreen(<PatientsPage />, '/patients');
  await screen.findByRole('listitem', { name: /Marisa/ });
  await userEvent.keyboard('n');
  expect(await screen.findByText('Tenney, Marisol and Tenney, Marisa are different people.')).toBeInTheDocument();
  expect([apart.length, merged.length]).toEqual([1, 0]);
});

test('a patient shows what is known, by whom, and what contradicts it; a correction says only what was changed', async () => {
  const view: PatientView = {
    ...known('a', 'Marisol'),
    id: 'a',
    identifiers: [{ root: '1.2.3', id: 'SM-9' }],
    otherNames: ['Reyes, Marisol'],
    others: [{ field: 'birthDate', text: '1961-03-15' }],
    provenance: [{ field: 'birthDate', kind: 'Correction', at, messageId: null, person: 'Dana Whitfield' }],
    contradictions: ['birthDate'],
    duplicates: [known('b', 'Marisa')],
    version: 3,
  };
  answer('get', '/api/patients/{id}', view);
  answer('get', '/api/patients/{id}/history', { items: [] });
  answer('get', '/api/patients/{id}/messages', { items: [], totalCount: 0, totalIsCapped: false });
  const corrected = answer('post', '/api/patients/{id}/corrections', { eventId: 'e2' });
  renderScreen(<PatientPage id="a" />, '/patients/a');
  for (const words of [
    'Reyes, Marisol',
    'other values: 03/15/1961',
    'SM-9',
    /corrected by Dana Whitfield/,
    /Sources give different values for: birth date/,
  ])
    expect(await screen.findByText(words)).toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Correct' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Correct the patient' }));
  await userEvent.click(dialog.getByRole('button', { name: 'Save' }));
  expect(await dialog.findByText(/Nothing was changed/)).toBeInTheDocument();
  await userEvent.type(dialog.getByLabelText('Patient ID'), '2');
  await userEvent.click(dialog.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(corrected.map(({ body }) => body)).toEqual([{ patientId: 'a2', version: 3 }]));
});
