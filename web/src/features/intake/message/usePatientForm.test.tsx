import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, renderHook, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, expect, test } from 'vitest';
import { setToken } from '@/api/token';
import type { Message, Patient } from '@/api/types';
import { message } from '@/test/fixtures';
import { server } from '@/test/setup';
import { usePatientForm } from './usePatientForm';

const settings = {
  exportMode: 'save_as',
  exportOption: 'standard',
  exportDirectoryType: '',
  exportVisitDirectory: false,
  nonPatientExport: true,
};

/** A server with one patient that refuses outdated versions. */
function patientServer(patient: Patient) {
  const kept = { patient, version: 1, saves: 0 };
  const view = (): Message => message({ direction: 'Intake', isDraft: false, patient: kept.patient, patientVersion: kept.version });
  server.use(
    http.get('*/api/messages/m1', () => HttpResponse.json(view())),
    http.put('*/api/messages/m1/patient', async ({ request }) => {
      const { version, ...asked } = (await request.json()) as Patient & { version: number };
      if (version !== kept.version) return HttpResponse.json({ status: 409, reason: 'Changed in the meantime.' }, { status: 409 });
      Object.assign(kept, { patient: asked, version: version + 1, saves: kept.saves + 1 });
      return HttpResponse.json(view());
    }),
  );
  return { kept, view };
}

/** The form as one user has it open. */
function screenOf(view: Message) {
  const client = new QueryClient();
  const wrapper = ({ children }: { children: React.ReactNode }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>;
  const { result, rerender } = renderHook(({ shown }) => usePatientForm(shown, settings as never), {
    wrapper,
    initialProps: { shown: view },
  });
  const type = (part: Partial<Patient>) =>
    act(async () => {
      result.current.change(part);
      result.current.done();
    });
  return { result, type, shows: (shown: Message) => rerender({ shown }) };
}

beforeEach(() => {
  setToken({ accessToken: 'a', expiresIn: 900 });
});

test('two people on one message: the second save keeps the first one’s field', async () => {
  const { kept, view } = patientServer({ firstName: 'Ana', lastName: 'Ruiz' });
  const [one, two] = [screenOf(view()), screenOf(view())];
  await one.type({ lastName: 'Vega' });
  await waitFor(() => expect(kept.patient.lastName).toBe('Vega'));
  await two.type({ firstName: 'Anna' });
  await waitFor(() => expect(kept.patient).toMatchObject({ firstName: 'Anna', lastName: 'Vega' }));
  expect(two.result.current.draft.lastName).toBe('Vega');
});

test('a field that both changed is shown with both values, and nothing is overwritten before somebody chooses', async () => {
  const { kept, view } = patientServer({ lastName: 'Ruiz' });
  const [one, two] = [screenOf(view()), screenOf(view())];
  await one.type({ lastName: 'Vega' });
  await waitFor(() => expect(kept.patient.lastName).toBe('Vega'));
  await two.type({ lastName: 'Ruis' });
  await waitFor(() => expect(two.result.current.conflicts).toEqual([{ field: 'lastName', mine: 'Ruis', theirs: 'Vega' }]));
  expect(kept).toMatchObject({ patient: { lastName: 'Vega' }, saves: 1 });
  expect(two.result.current.isUnsaved()).toBe(true);
  await act(async () => two.result.current.choose('lastName', 'mine'));
  await waitFor(() => expect(kept.patient.lastName).toBe('Ruis'));
  await waitFor(() => expect(two.result.current.isUnsaved()).toBe(false));
});

test('a screen without changes of its own follows what somebody else saved, and what was read stays unconfirmed', async () => {
  const { view } = patientServer({ lastName: 'Ruiz' });
  const screen = screenOf(view());
  act(() => void screen.result.current.fill({ firstName: 'Ana', gender: 'F' }));
  screen.shows({ ...view(), patient: { lastName: 'Vega', gender: 'UN' }, patientVersion: 2 });
  expect(screen.result.current.draft).toMatchObject({ firstName: 'Ana', lastName: 'Vega', gender: 'UN' });
  expect([...screen.result.current.unverified]).toEqual(['firstName']);
  expect(screen.result.current.confirmed.firstName ?? '').toBe('');
  expect(screen.result.current.isUnsaved()).toBe(false);
});
