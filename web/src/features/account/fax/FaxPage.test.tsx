import { notifications } from '@mantine/notifications';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type { FaxSource } from '@/api/types';
import { saveFile } from '@/shared/saveFile';
import { answer, refusal } from '@/test/answers';
import { renderScreen } from '@/test/render';
import { server } from '@/test/setup';
import { HttpResponse, http } from 'msw';
import { FaxPage } from './FaxPage';

vi.mock('@/shared/saveFile', async (original) => ({ ...(await original<object>()), saveFile: vi.fn() }));

const number: FaxSource = {
  id: 'n1',
  organizationId: 'o',
  fullAddress: '+17405560001',
  displayAddress: '740-556-0001',
  displayName: 'Referrals',
  type: 'Fax',
  directAddressType: 'fax',
  status: 0,
  provider: 'embedded',
  callers: [],
  senderIds: [],
  createdDate: '2026-11-20T10:00:00Z',
  version: 3,
};

beforeEach(() => {
  setToken({ accessToken: 't', expiresIn: 900 });
  notifications.clean();
  answer('get', '/api/fax/accounts', { items: [] });
  answer('get', '/api/fax/providers', {
    items: [{ provider: 'embedded', name: 'Within this installation', isConfigured: true, isForOperators: false }],
  });
});

const numbers = () => answer('get', '/api/admin/documentsources', { items: [number], totalCount: 1, totalIsCapped: false });
const choose = async (item: string) => {
  await userEvent.click(await screen.findByRole('button', { name: 'Actions for 740-556-0001' }));
  await userEvent.click(await screen.findByRole('menuitem', { name: item }));
};

test('a number is added; what the server refuses in it appears at its field', async () => {
  numbers();
  refusal('post', '/api/admin/documentsources', 422, { modelState: { fullAddress: ['Emergency numbers cannot be faxed to.'] } });
  renderScreen(<FaxPage tab="numbers" />);
  await userEvent.click(await screen.findByRole('button', { name: 'Add number' }));
  const form = within(await screen.findByRole('dialog', { name: 'Add fax number' }));
  const press = () => userEvent.click(form.getByRole('button', { name: 'Save' }));
  await press();
  expect(await form.findByText('Enter a fax number.')).toBeInTheDocument();
  await userEvent.type(form.getByRole('textbox', { name: 'Fax number' }), '911');
  await press();
  expect(await form.findByText('Emergency numbers cannot be faxed to.')).toBeInTheDocument();
  const added = answer('post', '/api/admin/documentsources', number);
  await userEvent.type(form.getByRole('textbox', { name: 'Name' }), 'Referrals');
  await press();
  expect(await screen.findByText('The fax number was added. Test and activate it to send from it.')).toBeInTheDocument();
  expect(added[0]!.body).toMatchObject({ directAddressType: 'fax', displayName: 'Referrals', provider: 'embedded' });
});

test('a number is activated, and a problem is reported', async () => {
  numbers();
  const asked = answer('post', '/api/admin/documentsources/activate/{id}', { ...number, status: 5, problem: 'No line is free.' });
  renderScreen(<FaxPage tab="numbers" />);
  expect(await screen.findByText('Provisioning')).toBeInTheDocument();
  await choose('Test and activate');
  expect(await screen.findByText('740-556-0001: No line is free.')).toBeInTheDocument();
  answer('post', '/api/admin/documentsources/activate/{id}', { ...number, status: 1 });
  await choose('Test and activate');
  expect(await screen.findByText('740-556-0001 is active.')).toBeInTheDocument();
  expect(asked).toMatchObject([{ path: { id: 'n1' } }]);
});

test('a number is deleted after a question only', async () => {
  numbers();
  const asked = answer('delete', '/api/admin/documentsources/{id}', { ...number, status: 4 });
  renderScreen(<FaxPage tab="numbers" />);
  await choose('Delete');
  const question = within(await screen.findByRole('dialog', { name: 'Delete the fax number?' }));
  expect(asked).toEqual([]);
  await userEvent.click(question.getByRole('button', { name: 'Delete' }));
  expect(await screen.findByText('The fax number was deleted.')).toBeInTheDocument();
  expect(asked).toMatchObject([{ path: { id: 'n1' } }]);
});

test('a fax log without any call says what will appear there, not that nothing matches', async () => {
  answer('post', '/api/fax/log', { items: [], totalCount: 0, totalIsCapped: false });
  renderScreen(<FaxPage tab="log" />, '/account/fax');
  expect(await screen.findByRole('heading', { name: 'No faxes yet' })).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Show all' })).toBeNull();
});

test('the address keeps the filters of the fax log, which is saved as CSV with them', async () => {
  const asked = answer('post', '/api/fax/log', { items: [], totalCount: 0, totalIsCapped: false });
  let saved: Record<string, string> = {};
  server.use(
    http.post('*/api/fax/log/csv', async ({ request }) => {
      saved = (await request.json()) as typeof saved;
      return HttpResponse.text('a,b');
    }),
  );
  const router = renderScreen(<FaxPage tab="log" />, '/account/fax?from=2026-11-01&until=2026-11-30');
  expect(await screen.findByRole('heading', { name: 'No call matches' })).toBeInTheDocument();
  await userEvent.click(screen.getByRole('combobox', { name: 'Outcome' }));
  await userEvent.click(await screen.findByRole('option', { name: 'Training failed' }));
  await expect.poll(() => asked.at(-1)?.body.outcome).toBe('TrainingFailed');
  expect(asked.at(-1)!.body.start).toContain('2026-11-01');
  expect(router.state.location.search).toMatchObject({ outcome: 'TrainingFailed' });
  await userEvent.click(screen.getByRole('button', { name: 'Save as CSV' }));
  await expect
    .poll(() => vi.mocked(saveFile).mock.calls.map(([, name]) => name))
    .toEqual([expect.stringMatching(/^Carepost_fax-log_\d{8}T\d{6}Z\.csv$/)]);
  expect(saved.outcome).toBe('TrainingFailed');
  expect(saved.end).toContain('2026-1');
});
