import { QueryClientProvider } from '@tanstack/react-query';
import { screen, waitFor } from '@testing-library/react';
import type { ComponentType } from 'react';
import { expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import { createQueryClient } from '@/app/queryClient';
import { person } from '@/test/session';
import { answer, refusal } from '@/test/answers';
import { renderScreen } from '@/test/render';
import { ActivityPage } from './features/account/activity/ActivityPage';
import { DocumentsPage } from './features/account/documents/DocumentsPage';
import { AuditsPage } from './features/admin/audits/AuditsPage';
import { SignaturesPage } from './features/intake/signatures/SignaturesPage';
import { ReferralsPage } from './features/referrals/ReferralsPage';
import { FailedPage } from './features/release/failed/FailedPage';

vi.mock('@/app/session', async (original) => ({ ...(await original<object>()), useProfile: () => person() }));
vi.mock('@/shared/hubs', async (original) => ({ ...(await original<object>()), connectHub: () => ({ close: () => {} }) }));

type Case = [string, ComponentType, (status: number) => unknown];
const cases: Case[] = [
  ['Activity', ActivityPage, (status) => refusal('get', '/api/events', status)],
  ['Undelivered', FailedPage, (status) => refusal('get', '/api/failedmessages', status)],
  ['Referrals', ReferralsPage, (status) => refusal('post', '/api/conversations/tracked', status)],
  ['Signatures', SignaturesPage, (status) => refusal('get', '/api/messages/signatures', status)],
  ['Audits', AuditsPage, (status) => refusal('post', '/api/admin/audits', status)],
  ['Documents', DocumentsPage, (status) => refusal('get', '/api/settings/interoperability', status)],
];

/** The number of redirects to the page that refuses access. */
function open(Page: ComponentType) {
  setToken({ accessToken: 't', expiresIn: 900 });
  answer('get', '/api/users/assignable', { items: [] } as never);
  answer('get', '/api/admin/audits/eventtypes', { items: [] } as never);
  const onRefusedPage = vi.fn();
  const client = createQueryClient({ onRefusedPage });
  client.setDefaultOptions({ queries: { ...client.getDefaultOptions().queries, retry: false } });
  renderScreen(
    <QueryClientProvider client={client}>
      <Page />
    </QueryClientProvider>,
  );
  return onRefusedPage;
}

test.each(cases)('the list of %s that is refused leads to the page that says so (SES-R-216)', async (_name, page, refuse) => {
  refuse(403);
  const onRefusedPage = open(page);
  await waitFor(() => expect(onRefusedPage).toHaveBeenCalledTimes(1));
});

test.each(cases)('the list of %s that fails otherwise says so in its place', async (_name, page, refuse) => {
  refuse(500);
  const onRefusedPage = open(page);
  expect(await screen.findByRole('alert')).toBeInTheDocument();
  expect(onRefusedPage).not.toHaveBeenCalled();
});
