import { notifications } from '@mantine/notifications';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import { renderScreen } from '@/test/render';
import { server } from '@/test/setup';
import { SavedAddresses } from '../organizations/SavedAddresses';
import { UtilitiesPage } from './UtilitiesPage';

const MESSAGE = '0198f1aa-7a10-7000-8000-000000000021';
const WORKFLOW = '0198f1aa-7a10-7000-8000-000000000022';
const found = { messageId: MESSAGE, workflowId: WORKFLOW, organizationName: 'Larkfield', workflows: [] };

beforeEach(() => {
  setToken({ accessToken: 't', expiresIn: 900 });
  notifications.clean();
});

/** What is copied from now on. */
function clipboard() {
  const user = userEvent.setup();
  const write = vi.spyOn(navigator.clipboard, 'writeText').mockClear();
  return { user, write };
}

test.each(['Message', 'Workflow'])('both ids of a %s that was looked up are copied (ADA-R-149, ADA-R-290, ADA-S-068)', async (title) => {
  server.use(http.get('*/api/utilities', () => HttpResponse.json({ items: [found] })));
  const { user, write } = clipboard();
  renderScreen(<UtilitiesPage />);
  const part = within(await screen.findByRole('region', { name: title }));
  await user.type(part.getByLabelText(`${title} id`), MESSAGE);
  await user.click(part.getByRole('button', { name: 'Look up' }));
  await user.click(await part.findByRole('button', { name: `Copy Message Id ${MESSAGE}` }));
  expect(await screen.findByText('Message Id copied to your clipboard')).toBeInTheDocument();
  await user.click(part.getByRole('button', { name: `Copy Workflow Id ${WORKFLOW}` }));
  expect(await screen.findByText('Workflow Id copied to your clipboard')).toBeInTheDocument();
  expect(write.mock.calls).toEqual([[MESSAGE], [WORKFLOW]]);
});

test('the ids of decoded messages are copied together (ADA-S-045, ADA-R-290)', async () => {
  const items = [{ objectId: 'one', mailMessageId: MESSAGE, workflowId: null }, { objectId: 'two' }];
  server.use(http.post('*/api/utilities/mailmessages/objectids', () => HttpResponse.json({ items })));
  const { user, write } = clipboard();
  renderScreen(<UtilitiesPage />);
  const part = within(await screen.findByRole('region', { name: 'Mail messages' }));
  await user.type(part.getByLabelText('Object ids'), 'one, two');
  await user.click(part.getByRole('button', { name: 'Decode' }));
  await user.click(await part.findByRole('button', { name: 'Copy the object ids' }));
  expect(await screen.findByText('Object Ids copied to your clipboard')).toBeInTheDocument();
  expect(write).toHaveBeenCalledWith('one, two');
  expect(part.getByText('Not Found')).toBeInTheDocument();
});

test('saved Direct addresses can be saved only after a change (ADA-S-048, ADA-R-151)', async () => {
  const saved = { addresses: ['lab@partner.example'], version: 'a' };
  server.use(http.get('*/api/directaddresscache', () => HttpResponse.json(saved)));
  renderScreen(<SavedAddresses organizationId={MESSAGE} />);
  const save = await screen.findByRole('button', { name: 'Save' });
  expect(save).toBeDisabled();
  await userEvent.type(screen.getByRole('combobox', { name: /^Direct addresses/ }), 'desk@partner.example{Enter}');
  expect(save).toBeEnabled();
});
