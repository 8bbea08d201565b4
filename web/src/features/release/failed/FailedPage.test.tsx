import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type { FailedFiling } from '@/api/types';
import { answer } from '@/test/answers';
import { connected } from '@/test/charts';
import { renderScreen } from '@/test/render';
import { person } from '@/test/session';
import { FailedPage } from './FailedPage';

vi.mock('@/app/session', async (original) => ({ ...(await original<object>()), useProfile: () => person() }));

const filing: FailedFiling = {
  id: 'f1',
  messageId: 'm1',
  attachmentId: 'a1',
  fileName: 'Lab report.pdf',
  subject: 'Lab of today',
  fromName: 'County Lab',
  fromAddress: 'results@lab.example',
  patientName: 'Tenney, Marisol J',
  integrationId: 'c1',
  integrationName: 'Maple Street EHR',
  integrationType: 'Fhir',
  state: 'Failed',
  explanation: 'The EHR refused the document.',
  filedBy: 'rule Labs',
  at: '2026-11-20T10:00:00Z',
  nextAt: null,
};
const page = (items: FailedFiling[]) => ({ items, totalCount: items.length, totalIsCapped: false });

beforeEach(() => {
  setToken({ accessToken: 't', expiresIn: 900 });
  connected({ integrationId: 'c1' });
  answer('get', '/api/failedmessages', { items: [], totalCount: 0, totalIsCapped: false });
});

test('documents that need attention are said in the list of all, and tried again or acknowledged in theirs', async () => {
  answer('get', '/api/failedmessages/charts', page([filing]));
  const again = answer('post', '/api/messages/{id}/chart/{filingId}/retry', { items: [] });
  const seen = answer('put', '/api/failedmessages/charts/{id}/acknowledge', null);
  renderScreen(<FailedPage />, '/release/failed');
  expect(await screen.findByText(/A document needs attention in its chart\./)).toBeInTheDocument();
  await userEvent.click(screen.getByRole('radio', { name: /^Charts/ }));
  expect(await screen.findByRole('link', { name: 'Lab of today' })).toHaveAttribute('href', '/intake/m1');
  await userEvent.click(screen.getByRole('button', { name: 'More about Lab of today' }));
  expect(await screen.findByText('The EHR refused the document.', { selector: '.cp-note *' })).toBeInTheDocument();
  expect(screen.getByText(/By rule Labs/)).toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('It is being tried again.')).toBeInTheDocument();
  expect(again.map((a) => a.path)).toEqual([{ id: 'm1', filingId: 'f1' }]);
  await userEvent.click(screen.getByRole('button', { name: 'Acknowledge' }));
  await expect.poll(() => seen.map((a) => a.path)).toEqual([{ id: 'f1' }]);
});

test('a document that waits for long is taken back, and not acknowledged', async () => {
  answer('get', '/api/failedmessages/charts', page([{ ...filing, state: 'Waiting', explanation: 'The EHR does not answer.' }]));
  renderScreen(<FailedPage />, '/release/failed?view=charts');
  await userEvent.click(await screen.findByRole('button', { name: 'Actions for Lab of today' }));
  const menu = within(await screen.findByRole('menu'));
  expect(menu.getAllByRole('menuitem').map((item) => item.textContent)).toEqual(['Open message', 'Take back']);
});

test('each row says where the document is now, also one of a web service or one that was not taken back', async () => {
  const desk = { integrationName: 'Referral desk', integrationType: 'WebService', patientName: '' } as const;
  const rows = [
    filing,
    { ...filing, id: 'f2', subject: 'Kept', state: 'WithdrawalFailed' as const },
    { ...filing, id: 'f3', subject: 'Letter', ...desk },
  ];
  answer('get', '/api/failedmessages/charts', page(rows));
  renderScreen(<FailedPage />, '/release/failed?view=charts');
  const row = async (name: string) => (await screen.findByRole('link', { name })).closest('tr')!;
  expect(await row('Lab of today')).toHaveTextContent('Not in the chart');
  expect(await row('Kept')).toHaveTextContent('Still in the chart: could not be taken back');
  expect(await row('Letter')).toHaveTextContent('Could not be sent to Referral desk');
  await userEvent.click(screen.getByRole('button', { name: 'Actions for Letter' }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Take back' }));
  expect(await screen.findByRole('dialog', { name: 'Take back from Referral desk' })).toHaveTextContent('It is not sent to Referral desk');
});

test('where each person signs in, trying again asks for it first', async () => {
  connected({ integrationId: 'c1', needsLogin: true });
  answer('get', '/api/failedmessages/charts', page([filing]));
  const again = answer('post', '/api/messages/{id}/chart/{filingId}/retry', { items: [] });
  renderScreen(<FailedPage />, '/release/failed?view=charts');
  await userEvent.click(await screen.findByRole('button', { name: 'Actions for Lab of today' }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Try again' }));
  expect(await screen.findByRole('dialog', { name: 'Maple Street EHR Login' })).toBeInTheDocument();
  expect(again).toEqual([]);
});
