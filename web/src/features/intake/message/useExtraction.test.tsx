import { act, renderHook } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import { attachment } from '@/test/fixtures';
import { server } from '@/test/setup';
import { useExtraction } from './useExtraction';

const looks = vi.fn();
const path = '*/api/messages/:id/attachments/:aid/patient/extract';
const answering = (answer: (time: number) => object) =>
  server.use(
    http.put(path, () => HttpResponse.json({ status: 'Processing' })),
    http.get(path, () => {
      looks();
      return HttpResponse.json(answer(looks.mock.calls.length));
    }),
  );
const second = () => act(() => vi.advanceTimersByTimeAsync(1000).then(() => new Promise<void>((done) => setImmediate(done))));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  setToken({ accessToken: 'a', expiresIn: 900 });
  looks.mockReset();
});
afterEach(() => {
  vi.useRealTimers();
});
const settle = async (times: number) => {
  for (let n = 0; n < times; n++) await second();
};

test('the patient of a PDF is looked for every second, and after ten of them until it comes (MSG-R-200, MSG-R-201, MSG-R-202)', async () => {
  answering((time) => (time < 12 ? { status: 'Processing' } : { status: 'Completed', patient: { lastName: 'Tenney' }, marks: [] }));
  const found = vi.fn();
  renderHook(() => useExtraction(attachment(), true, true, found));
  await settle(12);
  expect(looks).toHaveBeenCalledTimes(10);
  expect(found).not.toHaveBeenCalled();
  await settle(30);
  expect(found).toHaveBeenCalledWith({ lastName: 'Tenney' }, []);
  expect(looks).toHaveBeenCalledTimes(12);
});

test('the looking ends with what was found (MSG-R-203, MSG-R-164)', async () => {
  answering((time) => (time < 3 ? { status: 'Processing' } : { status: 'Completed', patient: { lastName: 'Tenney' }, marks: [] }));
  const found = vi.fn();
  renderHook(() => useExtraction(attachment(), true, true, found));
  await settle(12);
  expect(looks).toHaveBeenCalledTimes(3);
  expect(found).toHaveBeenCalledWith({ lastName: 'Tenney' }, []);
});

test('nothing is read from other files, nor where it is switched off (MSG-R-198, MSG-R-199)', async () => {
  answering(() => ({ status: 'Processing' }));
  renderHook(() => useExtraction(attachment({ mimeType: 'text/plain', fileName: 'a.txt' }), true, true, () => {}));
  renderHook(() => useExtraction(attachment(), false, true, () => {}));
  renderHook(() => useExtraction(attachment(), true, false, () => {}));
  await settle(3);
  expect(looks).not.toHaveBeenCalled();
  // Files with structured patient fields are read for every form with a patient.
  renderHook(() => useExtraction(attachment({ isStructured: true, mimeType: 'x-application/hl7-v2+er7' }), true, false, () => {}));
  await settle(2);
  expect(looks).toHaveBeenCalled();
});
