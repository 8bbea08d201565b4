import { beforeEach, expect, test, vi } from 'vitest';
import { ApiError } from '@/api/client';
import { notify } from './notify';
import { offerUndo, undoShortcut, withdrawUndo } from './undo';

vi.mock('./notify', () => ({ notify: vi.fn(), endOffer: vi.fn() }));
beforeEach(() => vi.clearAllMocks());

test('it is said to be taken back once the server has done so', async () => {
  let agree = () => {};
  offerUndo('3 messages processed.', () => new Promise((done) => (agree = done)));
  undoShortcut.run();
  expect(notify).toHaveBeenCalledTimes(1);
  agree();
  await vi.waitFor(() => expect(notify).toHaveBeenLastCalledWith('info', 'Undone.'));
});

test('a failure says what could not be taken back, and why', async () => {
  offerUndo('3 messages processed.', () => Promise.reject(new ApiError(409, { message: 'A colleague has changed them.' })));
  undoShortcut.run();
  await vi.waitFor(() =>
    expect(notify).toHaveBeenLastCalledWith('error', '“3 messages processed.” could not be undone. A colleague has changed them.'),
  );
});

test('what is withdrawn or was taken back once cannot be taken back', () => {
  offerUndo('Assigned.', () => Promise.resolve());
  withdrawUndo();
  undoShortcut.run();
  expect(notify).toHaveBeenLastCalledWith('info', 'There is nothing to undo.');
});
