import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import { createQueryClient } from '@/app/queryClient';
import { answer, refusal } from '@/test/answers';
import { DeleteMessageDialog } from './DeleteMessageDialog';

const [close, deleted, restored] = [vi.fn(), vi.fn(), vi.fn()];

beforeEach(() => {
  setToken({ accessToken: 'a', expiresIn: 900 });
  vi.clearAllMocks();
  render(
    <QueryClientProvider client={createQueryClient({ onRefusedPage: () => {} })}>
      <MantineProvider env="test">
        <Notifications limit={1} />
        <DeleteMessageDialog message={{ id: 'm', subject: 'Results' }} onClose={close} onDeleted={deleted} onRestored={restored} />
      </MantineProvider>
    </QueryClientProvider>,
  );
});
const confirm = async () => userEvent.click(await screen.findByRole('button', { name: 'OK' }));

test('a deleted message is told in the words of the server, and comes back by Undo (MSG-R-418, MSG-T-094)', async () => {
  answer('delete', '/api/messages/{id}', { message: 'Message has been deleted' } as never);
  const acts = answer('post', '/api/messages/bulk', { done: ['m'], refused: [] });
  await confirm();
  expect(await screen.findByText('Message has been deleted')).toBeInTheDocument();
  expect([close, deleted, restored].map((f) => f.mock.calls.length)).toEqual([1, 1, 0]);
  await userEvent.click(screen.getByRole('button', { name: /Undo/ }));
  await waitFor(() => expect(restored).toHaveBeenCalledOnce());
  expect(acts.map((a) => a.body)).toEqual([{ act: 'restore', ids: ['m'] }]);
});

test('a deletion that fails is told in the words of the server, and the question stays (MSG-R-414)', async () => {
  refusal('delete', '/api/messages/{id}', 409, { message: 'The message is being sent.' });
  await confirm();
  expect(await screen.findByText('The message is being sent.')).toBeInTheDocument();
  expect(screen.getByRole('dialog', { name: 'Delete Message' })).toBeInTheDocument();
  expect([close, deleted].map((f) => f.mock.calls.length)).toEqual([0, 0]);
});
