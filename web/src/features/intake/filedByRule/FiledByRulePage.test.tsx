import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type { FiledByRule } from '@/api/types';
import { answer, refusal } from '@/test/answers';
import { connected } from '@/test/charts';
import { renderScreen } from '@/test/render';
import { person } from '@/test/session';
import { FiledByRulePage } from './FiledByRulePage';
import { filedSearch } from './search';
import { sumWords } from './words';

vi.mock('@/app/session', async (original) => ({ ...(await original<object>()), useProfile: () => person() }));

const filed = (id: string, over: Partial<FiledByRule> = {}): FiledByRule => ({
  id,
  messageId: `m-${id}`,
  at: '2026-11-20T10:00:00Z',
  ruleId: 'labs',
  ruleName: 'Labs',
  patientName: 'Tenney, Marisol J',
  fileName: 'Lab report.pdf',
  fromName: 'County Lab',
  fromAddress: 'results@lab.example',
  integrationId: 'c1',
  integrationName: 'Maple Street EHR',
  chartUrl: 'https://ehr.example/chart/tenney',
  percent: 99,
  state: 'Filed',
  problem: '',
  ...over,
});
const page = <T,>(items: T[]) => ({ items, totalCount: items.length, totalIsCapped: false });

beforeEach(() => {
  setToken({ accessToken: 't', expiresIn: 900 });
  vi.setSystemTime(new Date(2026, 10, 20, 12));
  connected({ integrationId: 'c1' });
  answer('get', '/api/filedbyrule/counts', { items: [{ ruleId: 'labs', ruleName: 'Labs', filed: 1, failed: 1, withdrawn: 0, left: 1 }] });
});
afterEach(() => vi.useRealTimers());

test('what rules filed today and yesterday is listed, and taken back', async () => {
  const asked = answer(
    'get',
    '/api/filedbyrule',
    page([filed('a'), filed('b', { state: 'WithdrawalFailed', patientName: 'Pruitt, Desmond' })]),
  );
  const undone = answer('post', '/api/messages/{id}/chart/{filingId}/undo', { items: [] });
  renderScreen(<FiledByRulePage />, '/intake/filedbyrule');
  expect(await screen.findByRole('link', { name: 'Tenney, Marisol J' })).toHaveAttribute('href', '/intake/m-a');
  expect(screen.getByText('1 filed or on the way, 1 needs attention, 1 left to people')).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'Pruitt, Desmond' }).closest('tr')).toHaveTextContent('Not taken back');
  const { start, end } = Object.fromEntries(asked[0]!.query);
  expect(new Date(start!)).toEqual(new Date(2026, 10, 19));
  expect(new Date(end!)).toEqual(new Date(2026, 10, 20, 23, 59, 59, 999));
  await userEvent.click(screen.getByRole('button', { name: 'Actions for Tenney, Marisol J' }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Undo' }));
  const question = within(await screen.findByRole('dialog', { name: 'Take back from the chart' }));
  await userEvent.click(question.getByRole('button', { name: 'Take back' }));
  expect(await screen.findByText('The document is being taken back.')).toBeInTheDocument();
  expect(undone.map((u) => u.path)).toEqual([{ id: 'm-a', filingId: 'a' }]);
});

test('numbers that could not be loaded are not said to be zero, and are asked for again', async () => {
  answer('get', '/api/filedbyrule', page([filed('a')]));
  refusal('get', '/api/filedbyrule/counts', 400, {});
  renderScreen(<FiledByRulePage />, '/intake/filedbyrule');
  expect(await screen.findByText(/What each rule did could not be loaded/)).toBeInTheDocument();
  expect(screen.getByRole('radio', { name: 'Filed' })).toBeInTheDocument();
  answer('get', '/api/filedbyrule/counts', { items: [{ ruleId: 'labs', ruleName: 'Labs', filed: 3, failed: 0, withdrawn: 0, left: 0 }] });
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('3 filed or on the way')).toBeInTheDocument();
});

test('what was left to people says why, and a rule is shown alone', async () => {
  answer('get', '/api/filedbyrule', page([]));
  const left = { ruleId: 'labs', ruleName: 'Labs', reason: 'the birth date differs', subject: 'Lab of today', at: '2026-11-20T09:00:00Z' };
  const asked = answer(
    'get',
    '/api/filedbyrule/left',
    page([{ ...left, messageId: 'm1', patientName: '', fromName: '', fromAddress: 'a@b.example', isProcessed: false }]),
  );
  renderScreen(<FiledByRulePage />, '/intake/filedbyrule');
  await userEvent.click(await screen.findByRole('radio', { name: /^Left to people/ }));
  expect(await screen.findByText('The birth date differs')).toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: /^Labs/ }));
  await expect.poll(() => asked.at(-1)?.query.get('ruleId')).toBe('labs');
});

test('the e-mail leads to its day', () => {
  expect(filedSearch({ day: '2026-11-19' })).toMatchObject({ from: '2026-11-19', until: '2026-11-19' });
  expect(filedSearch({ day: 'yesterday' }).from).toBeUndefined();
});

test('the numbers are said in words', () => {
  const counts = { filed: 12, failed: 1, withdrawn: 0, left: 2 };
  expect(sumWords([counts])).toBe(
    'Today and yesterday: 12 documents filed by rules or on the way, 1 needs attention, 2 messages left to people.',
  );
  expect(sumWords([])).toBe('');
});
