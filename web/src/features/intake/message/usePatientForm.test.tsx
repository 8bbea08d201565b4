import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, renderHook, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type { Message, Patient } from '@/api/types';
import { notify } from '@/shared/notify';
import { message } from '@/test/fixtures';
import { server } from '@/test/setup';
import { withVisit } from '@/domain/messaging/rules';
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

vi.mock('@/shared/notify', () => ({ notify: vi.fn() }));
beforeEach(() => {
  vi.mocked(notify).mockClear();
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

test('a patient of a chart is never mixed with what somebody else typed meanwhile', async () => {
  const { kept, view } = patientServer({ firstName: 'Ana', lastName: 'Ruiz' });
  const [one, two] = [screenOf(view()), screenOf(view())];
  const found = {
    firstName: 'Anna',
    lastName: 'Reyes',
    birthDate: '1961-03-14',
    integrationMeta: { integrationId: 'ehr', patientId: 'p-1' },
  };
  await one.type({ firstName: 'Eva', middleName: 'M' });
  await waitFor(() => expect(kept.patient.middleName).toBe('M'));
  await act(async () => void two.result.current.take(found));
  await waitFor(() => expect(two.result.current.draft).toMatchObject({ firstName: 'Eva', lastName: 'Ruiz' }));
  expect(two.result.current.draft.integrationMeta ?? null).toBeNull();
  expect(kept.patient).toEqual({ firstName: 'Eva', lastName: 'Ruiz', middleName: 'M' });
  await act(async () => void two.result.current.take(found));
  await waitFor(() => expect(kept.patient).toEqual(found));
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

const IN_CHART = { integrationId: 'ehr', patientId: 'p-1' };
const inChart = (over: object = {}): Patient => ({ firstName: 'Anna', lastName: 'Reyes', integrationMeta: { ...IN_CHART, ...over } });
const told = () => vi.mocked(notify).mock.calls.map(([, text]) => text);

test('a chart patient of somebody else replaces what was typed, and the person hears of it', async () => {
  const { kept, view } = patientServer({ firstName: 'Ana', lastName: 'Ruiz' });
  const [one, two] = [screenOf(view()), screenOf(view())];
  await act(async () => void one.result.current.take(inChart()));
  await waitFor(() => expect(kept.patient.lastName).toBe('Reyes'));
  await two.type({ firstName: 'Eva' });
  await waitFor(() => expect(two.result.current.draft).toEqual(kept.patient));
  expect(kept.saves).toBe(1);
  expect(told()).toEqual(['Somebody else has changed the patient meanwhile. Please check it.']);
});

test('a visit that two people chose is the saved one as a whole', async () => {
  const { kept, view } = patientServer(inChart());
  const [one, two] = [screenOf(view()), screenOf(view())];
  const visit = (id: string, date: string) => (p: Patient) => withVisit(p, { id, date });
  await act(async () => void one.result.current.put(visit('v-1', '2026-11-18')));
  await waitFor(() => expect(kept.patient.visitId).toBe('v-1'));
  await act(async () => void two.result.current.put(visit('v-2', '2026-11-24')));
  await waitFor(() => expect(two.result.current.draft).toMatchObject({ visitId: 'v-1', visitDate: '2026-11-18' }));
  expect(two.result.current.draft.integrationMeta).toMatchObject({ visitId: 'v-1' });
  expect(told()).toEqual(['Somebody else has chosen another visit meanwhile. Please check it.']);
});

test('what somebody else chose since is not undone', async () => {
  const { view } = patientServer({ firstName: 'Ana', lastName: 'Ruiz' });
  const shown = screenOf(view());
  let undo = () => {};
  await act(async () => void (undo = shown.result.current.take(inChart())));
  await waitFor(() => expect(shown.result.current.isUnsaved()).toBe(false));
  shown.shows({ ...view(), patient: inChart({ patientId: 'p-2' }), patientVersion: 9 });
  expect(undo).toThrow('Somebody else has changed the patient meanwhile.');
  expect(shown.result.current.draft.integrationMeta?.patientId).toBe('p-2');
});
