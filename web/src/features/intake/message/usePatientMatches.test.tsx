import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, renderHook, screen, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { MantineProvider } from '@mantine/core';
import { beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type { Patient, PatientMatch } from '@/api/types';
import { why } from '@/domain/messaging/patients/words';
import { message } from '@/test/fixtures';
import { server } from '@/test/setup';
import { KnownPatients } from './KnownPatients';
import type { PatientForm } from './usePatientForm';
import { usePatientMatches } from './usePatientMatches';

const settings = {
  exportMode: 'save_as',
  exportOption: 'standard',
  exportDirectoryType: '',
  exportVisitDirectory: false,
  nonPatientExport: true,
};
const marisol: PatientMatch = {
  patient: { firstName: 'Marisol', middleName: 'J', lastName: 'Tenney', birthDate: '1961-03-14', gender: 'F', patientId: 'LFM-20417' },
  certainty: 'Certain',
  percent: 98,
  fields: [
    { field: 'lastName', agreement: 'Agrees' },
    { field: 'firstName', agreement: 'Similar' },
    { field: 'telephone', agreement: 'Differs' },
  ],
  lastDate: '2026-11-18T08:14:00Z',
};
const client = () => new QueryClient({ defaultOptions: { queries: { retry: false } } });

function matchesOf(draft: Patient) {
  const take = vi.fn(() => () => {});
  const form = { draft, take } as unknown as PatientForm;
  const provider = client();
  const { result } = renderHook(() => usePatientMatches(message({ direction: 'Intake', isDraft: false }), form, settings as never), {
    wrapper: ({ children }) => <QueryClientProvider client={provider}>{children}</QueryClientProvider>,
  });
  return { result, take };
}

beforeEach(() => {
  setToken({ accessToken: 'a', expiresIn: 900 });
});

test('a patient of whom enough is known is looked for, and the one already entered is not offered', async () => {
  const asked = vi.fn();
  server.use(
    http.post('*/api/patients/_match', async ({ request }) => {
      asked(await request.json());
      return HttpResponse.json({ items: [marisol] });
    }),
  );
  const found = matchesOf({ lastName: 'Tenney', firstName: 'Marisol', visitId: 'V1' });
  await waitFor(() => expect(found.result.current.items).toHaveLength(1));
  expect(asked).toHaveBeenCalledWith({ lastName: 'Tenney', firstName: 'Marisol' });
  found.result.current.first?.();
  expect(found.take).toHaveBeenCalledWith(marisol.patient);

  expect(matchesOf({ lastName: 'Tenney' }).result.current.items).toHaveLength(0);
  const taken = matchesOf(marisol.patient);
  await waitFor(() => expect(asked).toHaveBeenCalledTimes(2));
  expect(taken.result.current.items).toHaveLength(0);
});

test('each known patient says what is the same and what is different', () => {
  expect(why(marisol)).toBe('Same: last name. Similar: first name. Different: telephone.');
  render(
    <MantineProvider>
      <KnownPatients matches={{ items: [marisol], take: vi.fn(), first: undefined, certain: null }} draft={{ lastName: 'Tenney' }} />
    </MantineProvider>,
  );
  expect(screen.getByRole('button', { name: 'Select Tenney, Marisol J' })).toBeVisible();
  expect(screen.getByText('Certain 98%')).toBeVisible();
});
