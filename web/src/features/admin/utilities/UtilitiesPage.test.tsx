import { notifications } from '@mantine/notifications';
import { fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import { fill, press, textbox } from '@/test/acts';
import { answer, refusal } from '@/test/answers';
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

/** The texts copied from now on. */
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

const SAVED = '/api/directaddresscache';
const keeps = async (...names: string[]) => {
  const addresses = names.map((name) => `${name}@x.example`);
  answer('get', SAVED, { addresses, version: 'a' });
  renderScreen(<SavedAddresses organizationId={MESSAGE} />);
  return screen.findByRole('button', { name: 'Save' });
};
const kept = () => screen.getAllByRole('listitem').map((item) => item.textContent);

test('saved Direct addresses can be saved only after a change (ADA-S-048, ADA-R-151)', async () => {
  const save = await keeps('lab');
  expect(save).toBeDisabled();
  fill('Direct addresses', 'desk@x.example ward@x.example');
  expect(save).toBeDisabled();
  await press('Add');
  expect(save).toBeEnabled();
  for (const name of ['desk', 'ward']) await press(`Remove ${name}@x.example`);
  expect(kept()).toEqual(['lab@x.example']);
  expect(save).toBeDisabled();
});

test('a page shows five saved addresses, which are edited in place, added and removed (ADA-R-150, ADA-S-048)', async () => {
  const save = await keeps('a', 'b', 'c', 'd', 'e', 'f');
  expect(kept()).toEqual(['a', 'b', 'c', 'd', 'e'].map((name) => `${name}@x.example`));
  await press('Edit b@x.example');
  const edited = () => textbox('Edit b@x.example');
  await userEvent.type(edited(), 'z{Escape}');
  expect(kept()[1]).toBe('b@x.example');
  expect(save).toBeDisabled();
  await press('Edit b@x.example');
  fireEvent.change(edited(), { target: { value: 'bea@x.example' } });
  await userEvent.type(edited(), '{Enter}');
  expect(kept()[1]).toBe('bea@x.example');
  await press('Remove a@x.example');
  await userEvent.type(textbox('Direct addresses'), 'g@x.example{Enter}');
  expect(kept()).toEqual(['g@x.example']);
  const put = answer('put', SAVED, ({ body }) => ({ ...body, version: 'b' }) as never);
  await press('Save');
  expect(await screen.findByText('Direct Address Cache has been saved successfully.')).toBeInTheDocument();
  expect(put[0]!.body).toEqual({ addresses: ['bea', 'c', 'd', 'e', 'f', 'g'].map((name) => `${name}@x.example`), version: 'a' });
  expect(save).toBeDisabled();
});

test('a list of saved addresses with a wrong or repeated one is not saved (ADA-S-048)', async () => {
  await keeps('a', 'b');
  const put = answer('put', SAVED, ({ body }) => body as never);
  await press('Edit b@x.example');
  fireEvent.change(textbox('Edit b@x.example'), { target: { value: 'nobody' } });
  await press('Save');
  expect(await screen.findByText('nobody: This address is not valid.')).toBeInTheDocument();
  await press('Edit nobody');
  fireEvent.change(textbox('Edit nobody'), { target: { value: 'a@x.example' } });
  await press('Save');
  expect(await screen.findByText('a@x.example: This value already exists.')).toBeInTheDocument();
  expect(put).toEqual([]);
});

test('an id that is not there is said not to be found (ADA-S-044, ADA-R-287)', async () => {
  const asked = refusal('get', '/api/utilities', 404);
  renderScreen(<UtilitiesPage />);
  const part = await screen.findByRole('region', { name: 'Message' });
  fill('Message id', ' nothing ', part);
  await press('Look up', part);
  expect(await within(part).findByText('Not Found')).toBeInTheDocument();
  expect(asked[0]!.query.get('id')).toBe('nothing');
});

test('ids are decoded to what they are of, and those that are none are invalid (ADA-S-046, ADA-R-289, ADA-T-149)', async () => {
  const items = [{ objectId: 'nothing' }, { objectId: '7', uuid: MESSAGE, entity: 'Message', dbEntityId: '7' }];
  const asked = answer('post', '/api/utilities/objectids', { items } as never);
  renderScreen(<UtilitiesPage />);
  const part = await screen.findByRole('region', { name: 'Object id' });
  fill('Object ids', 'nothing, 7', part);
  await press('Decode', part);
  const rows = await within(part).findAllByRole('row');
  expect(rows.map((row) => row.textContent)).toEqual(['Object idRecordUUID', 'nothing–Invalid', `7Message 7${MESSAGE}`]);
  expect(asked[0]!.body).toEqual(['nothing', '7']);
});

test('the page has the lookups, the decoding, the saved addresses and the way to the bulk retry (ADA-S-043, ADA-T-062)', async () => {
  const router = renderScreen(<UtilitiesPage />);
  for (const name of ['Message', 'Workflow', 'Mail messages', 'Object id'])
    expect(await screen.findByRole('region', { name })).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Saved Direct Addresses' })).toBeInTheDocument();
  await press('Bulk Workflow Retry');
  await expect.poll(() => router.state.location.pathname).toBe('/admin/utils/workflowretry');
});
