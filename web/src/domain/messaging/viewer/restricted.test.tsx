import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { beforeEach, expect, test, vi } from 'vitest';
import { RESTRICTED } from '@/api/error';
import { setToken } from '@/api/token';
import type { Attachment, Confidentiality } from '@/api/types';
import { profileQuery, queryClient } from '@/app/session';
import { attachment } from '@/test/fixtures';
import { server } from '@/test/setup';
import { RestrictedMark } from './restricted';
import { Viewer } from './Viewer';

vi.mock('@/shared/hubs', () => ({ connectHub: () => ({ send: () => {}, close: () => {} }) }));
vi.mock('./PdfView', () => ({ PdfView: ({ name }: { name: string }) => <p>Pages of {name}</p> }));

/** The server's current answer about the person. */
let openRestricted = false;
const asked = vi.fn();
const profile = () => ({ userId: 'u', organizationId: 'o', permissions: { openRestricted } });
const file = (confidentiality: Confidentiality, over: Partial<Attachment> = {}) =>
  attachment({ attachmentMeta: { confidentiality }, ...over });
const show = (a: Attachment) => {
  queryClient.setQueryData([...profileQuery.queryKey], profile());
  return render(
    <QueryClientProvider client={queryClient}>
      <MantineProvider env="test">
        <Viewer attachment={a} />
        <RestrictedMark attachment={a} />
      </MantineProvider>
    </QueryClientProvider>,
  );
};

beforeEach(() => {
  queryClient.clear();
  asked.mockReset();
  openRestricted = false;
  setToken({ accessToken: 't', expiresIn: 900 });
  server.use(
    http.get('*/api/users/profiledata', () => HttpResponse.json(profile())),
    http.get('*/api/messages/m1/attachments/a1', () => {
      asked();
      if (openRestricted) return new HttpResponse('%PDF', { headers: { 'content-type': 'application/pdf' } });
      return HttpResponse.json({ status: 403, message: RESTRICTED, reason: RESTRICTED }, { status: 403 });
    }),
  );
});

test('a restricted document is locked for whoever may not open it, until they may', async () => {
  show(file('Restricted'));
  expect(screen.getByText(RESTRICTED)).toBeInTheDocument();
  expect(screen.getByText('Restricted')).toBeInTheDocument();
  expect(asked).not.toHaveBeenCalled();
  openRestricted = true;
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('Pages of Visit note.pdf')).toBeInTheDocument();
});

test('a document is locked when the server refuses what was allowed before', async () => {
  openRestricted = true;
  const { unmount } = show(file('VeryRestricted'));
  expect(await screen.findByText('Pages of Visit note.pdf')).toBeInTheDocument();
  expect(screen.getByText('Very restricted')).toBeInTheDocument();
  unmount();
  queryClient.clear();
  show(file('VeryRestricted'));
  openRestricted = false;
  expect(await screen.findByRole('heading', { name: 'You may not open this document' })).toBeInTheDocument();
  expect(asked).toHaveBeenCalledTimes(2);
});
