import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { expect, test, vi } from 'vitest';
import type { Attachment, Message, MessageInput } from '@/api/types';
import { messageKey } from '@/domain/messaging/api';
import { saveDraft } from '../api';
import { useDraftMessage } from './useDraftMessage';

vi.mock('../api', () => ({ saveDraft: vi.fn(), discardDraft: vi.fn(), refetchRelease: vi.fn() }));

test('a file that comes during a save stays, although the save answers without it', async () => {
  const before = { id: 'd', draftVersion: 1, attachments: [] as Attachment[] } as Message;
  const file = { id: 'f', messageId: 'd' } as Attachment;
  const client = new QueryClient();
  client.setQueryData(messageKey('d'), before);
  let answer = () => {};
  vi.mocked(saveDraft).mockImplementation(async () => {
    await new Promise<void>((resolve) => (answer = resolve));
    client.setQueryData(messageKey('d'), { ...before, draftVersion: 2 });
    return { ...before, draftVersion: 2 };
  });
  const wrapper = ({ children }: { children: ReactNode }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>;
  const { result } = renderHook(() => useDraftMessage('d', 1, () => {}), { wrapper });
  const saved = result.current.save(() => ({}) as MessageInput);
  await vi.waitFor(() => expect(saveDraft).toHaveBeenCalled());
  act(() => result.current.changeAttachments('d', (list) => [...list, file]));
  await act(async () => {
    answer();
    await saved;
  });
  await vi.waitFor(() => expect(client.getQueryData<Message>(messageKey('d'))?.attachments).toEqual([file]));
});
