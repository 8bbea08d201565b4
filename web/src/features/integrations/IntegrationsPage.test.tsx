import { notifications } from '@mantine/notifications';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type { ConnectivityReport, EhrConnection } from '@/api/types';
import { refusal as refusalOf } from '@/app/access';
import { choose, dialog, fill, fromMenu, press, shows, textbox } from '@/test/acts';
import { answer, refusal } from '@/test/answers';
import { renderScreen } from '@/test/render';
import { IntegrationsPage } from './IntegrationsPage';
import { integrationScreens } from './screens';

const viewport = vi.hoisted(() => ({ isPhone: false, isNarrow: false, isMedium: false, isLabelled: true }));
vi.mock('@/shared/useViewport', () => ({ useViewport: () => viewport }));

const LIST = '/api/integrations';
const homestead: EhrConnection = {
  id: 'c-1',
  integrationType: 'Fhir',
  name: 'Homestead Chart',
  isActive: true,
  baseUrl: 'https://fhir.homestead.example/r4',
  authentication: 'KeyPair',
  clientId: 'carepost-larkfield',
  scopes: '',
  requiresFacility: false,
  requiresDocumentType: false,
  descriptionTemplate: '',
  chartUrl: '',
  messages: { kind: 'Mdm', receivingApplication: '', receivingFacility: '', certificate: '' },
  bodyTemplate: '',
  hasSecret: false,
  keyId: 'cp-2026-11',
  keyMadeAt: '2026-11-06T09:00:00Z',
  keySetUrl: 'https://carepost.example/integrations/c-1.jwks',
  redirectUrl: 'https://carepost.example/integrations/callback',
  offered: ['patientLookup', 'visitLookup', 'reviewerLookup'],
  unused: ['reviewerLookup'],
  software: 'Homestead 4.2',
  state: 'Failing',
  failingSince: '2026-11-20T09:12:00Z',
  problem: 'The EHR does not accept the key of this app.',
  remedy: 'Please register the current public key of this app at the EHR.',
  nextTryAt: '2026-11-20T10:36:00Z',
  answeredAt: '2026-11-20T09:00:00Z',
  answerMilliseconds: 132,
  waiting: 7,
  failed: 0,
  filedLastWeek: 0,
  version: 3,
};
const maple: EhrConnection = {
  ...homestead,
  id: 'c-2',
  name: 'Maple Street EHR',
  baseUrl: 'https://maple.example/r4',
  state: 'Connected',
  failingSince: null,
  problem: '',
  remedy: '',
  nextTryAt: null,
  waiting: 0,
  filedLastWeek: 318,
};
const step = (name: ConnectivityReport['steps'][number]['step'], detail: string) =>
  ({ step: name, outcome: 'Passed', milliseconds: 3, detail }) as const;
const passed: ConnectivityReport = {
  isConnected: true,
  steps: [step('Name', 'fhir.homestead.example'), step('Tls', 'Encrypted'), step('SignIn', 'With key cp-2026'), step('Read', 'Searched')],
  remedy: '',
  field: null,
  offered: homestead.offered,
  software: '',
};
const unknownClient: ConnectivityReport = {
  ...passed,
  isConnected: false,
  steps: [
    ...passed.steps.slice(0, 2),
    { step: 'SignIn', outcome: 'Failed', milliseconds: 88, detail: 'The EHR does not know this app.' },
    { step: 'Read', outcome: 'NotReached', milliseconds: null, detail: '' },
  ],
  remedy: 'Please check the client id, and whether the app is registered.',
  field: 'clientId',
};
const types = (isAllowed: boolean) => ({
  items: [
    {
      integrationType: 'Fhir' as const,
      name: 'EHR (FHIR R4)',
      description: '',
      authentications: ['KeyPair' as const, 'Person' as const, 'Open' as const],
      capabilities: [...homestead.offered, 'patientCreate' as const],
      isAllowed,
      redirectUrl: 'https://carepost.example/integrations/callback',
      bodyTemplate: '',
      placeholders: [],
    },
  ],
});
const editor = (name: string) => screen.findByRole('region', { name });
const rowOf = async (name: string) => (await screen.findByText(name, { selector: '.int-name' })).closest('tr')!;

beforeEach(() => {
  Object.assign(viewport, { isPhone: false, isLabelled: true });
  setToken({ accessToken: 't', expiresIn: 900 });
  notifications.clean();
  answer('get', LIST, { items: [homestead, maple] });
  answer('get', '/api/integrations/types', types(true));
});

test('a failing connection says why, what waits and when it is tried again; chips tell what is used from what is only offered', async () => {
  renderScreen(<IntegrationsPage />);
  const row = await rowOf('Homestead Chart');
  expect(screen.getByText('1 needs attention')).toBeInTheDocument();
  const more = row.nextElementSibling as HTMLElement;
  expect(more).toHaveTextContent('The EHR does not accept the key of this app.');
  expect(more).toHaveTextContent('7 documents wait to be filed and go on by themselves once it signs in. Next try at ');
  const chips = within(row).getByText('Find patients').parentElement!.children;
  expect([...chips].map((chip) => [chip.textContent, chip.hasAttribute('data-unused')])).toEqual([
    ['Find patients', false],
    ['Visits', false],
    ['Reviewers (not used)', true],
  ]);
  expect(await rowOf('Maple Street EHR')).toHaveTextContent('Connected318 documents filed in 7 days');
  expect(screen.getByText('2 connections, 1 connected, 1 failing')).toBeInTheDocument();
});

test('the list is searched by name or address, and filtered by state', async () => {
  renderScreen(<IntegrationsPage />, '/?state=Connected');
  await rowOf('Maple Street EHR');
  expect(screen.queryByText('Homestead Chart')).toBeNull();
  await userEvent.type(screen.getByRole('searchbox', { name: 'Search connections' }), 'homestead.example');
  expect(await screen.findByRole('heading', { name: 'No connection matches' })).toBeInTheDocument();
  await press('Show all');
  await rowOf('Homestead Chart');
});

test('keys alone: t tests a row, and the cursor goes to the field that mends it', async () => {
  const asked = answer('get', '/api/integrations/{id}/connectivity', unknownClient);
  renderScreen(<IntegrationsPage />);
  await rowOf('Homestead Chart');
  await userEvent.keyboard('jt');
  const pane = await editor('Homestead Chart');
  const steps = await within(pane).findByRole('list', { name: 'Steps of the test' });
  expect(
    within(steps)
      .getAllByRole('listitem')
      .map((item) => item.textContent),
  ).toEqual([
    'Name passedfhir.homestead.example3 ms',
    'Encryption passedEncrypted3 ms',
    'Sign-in failedThe EHR does not know this app.88 ms',
    'Read patients not reachedNot reached',
  ]);
  expect(within(pane).getByRole('alert')).toHaveTextContent('Please check the client id');
  await waitFor(() => expect(textbox('Client ID', pane)).toHaveFocus());
  expect(asked.map(({ path }) => path.id)).toEqual(['c-1']);
});

test('an administrator configures a connection: after its first save the page shows what to register at the EHR (MSG-R-372)', async () => {
  const { access } = integrationScreens[0]!;
  const person = (roles: string[]) => ({ userId: 'u', userName: 'u', fullName: 'U', roles, organizations: [] }) as never;
  expect(refusalOf(access!, person(['User']), new Set())).toBeTruthy();
  expect(refusalOf(access!, person(['Administrator']), new Set())).toBeFalsy();
  answer('get', LIST, { items: [] });
  const needed = 'Please enter the client ID that the EHR gave you.';
  refusal('post', '/api/integrations/connectivity', 422, { message: needed, modelState: { clientId: [needed] } });
  const added = { ...maple, id: 'c-3', name: 'Oak EHR', version: 1 };
  const saved = answer('put', LIST, () => {
    answer('get', LIST, { items: [added] });
    return added;
  });
  renderScreen(<IntegrationsPage />);
  expect(await screen.findByRole('heading', { name: 'No connections yet' })).toBeInTheDocument();
  await userEvent.keyboard('n');
  const pane = await editor('New connection');
  fill('Name', 'Oak EHR', pane);
  fill('FHIR address', 'https://oak.example/r4', pane);
  await press(/^Test and save/, pane);
  expect(await within(pane).findByText(needed)).toBeInTheDocument();
  const tested = answer('post', '/api/integrations/connectivity', passed);
  fill('Client ID', 'carepost', pane);
  await userEvent.click(within(pane).getByRole('checkbox', { name: 'Add patients' }));
  fill('Description of filed documents', '{type}, {date}', pane);
  expect(within(pane).getByText('Example of a description: “Lab result, 11/20/2026”')).toBeInTheDocument();
  await userEvent.keyboard('{Control>}{Enter}{/Control}');
  const after = await screen.findByRole('region', { name: 'To register at the EHR' });
  expect(await within(after).findByText('Now register this at the EHR.')).toBeInTheDocument();
  expect(after).toHaveTextContent(added.keySetUrl);
  expect(within(after).getByRole('button', { name: 'Copy address of our keys' })).toBeInTheDocument();
  expect(tested).toHaveLength(1);
  expect(saved[0]!.body).toMatchObject({
    integrationType: 'Fhir',
    name: 'Oak EHR',
    baseUrl: 'https://oak.example/r4',
    authentication: 'KeyPair',
    clientId: 'carepost',
    descriptionTemplate: '{type}, {date}',
    unused: ['patientCreate'],
    isActive: true,
    newKey: false,
  });
});

test('a connection whose test failed is saved only after a question', async () => {
  answer('post', '/api/integrations/connectivity', unknownClient);
  answer('get', '/api/integrations/{id}/connectivity', unknownClient);
  const saved = answer('put', LIST, { ...maple, version: 4 });
  renderScreen(<IntegrationsPage />, '/?edit=c-2');
  const pane = await editor('Maple Street EHR');
  fill('Client ID', 'other', pane);
  await press(/^Test and save/, pane);
  await press('Keep editing', await dialog('Save without connection?'));
  await waitFor(() => expect(textbox('Client ID', pane)).toHaveFocus());
  expect(saved).toHaveLength(0);
  await press(/^Test and save/, pane);
  await press('Save anyway', await dialog('Save without connection?'));
  await shows('The connection was saved.');
  expect(saved[0]!.body).toMatchObject({ id: 'c-2', version: 3, clientId: 'other' });
});

test('errors of the server are shown at their fields, and a test sends what is in the form', async () => {
  const problem = 'This address is in a private network. Please ask the operator of this installation to allow it.';
  const asked = refusal('post', '/api/integrations/connectivity', 400, { modelState: { baseUrl: [problem] } });
  renderScreen(<IntegrationsPage />, '/?edit=c-2');
  const pane = await editor('Maple Street EHR');
  await choose('Signs in with', 'No sign-in', pane);
  fill('FHIR address', 'https://10.0.0.7/r4', pane);
  await press(/^Test( again)?/, await within(pane).findByRole('region', { name: 'Connection test' }));
  expect(await within(pane).findByText(problem)).toBeInTheDocument();
  expect(textbox('FHIR address', pane)).toHaveAttribute('aria-invalid', 'true');
  expect(asked[0]!.body).toMatchObject({ id: 'c-2', authentication: 'Open', clientId: '', baseUrl: 'https://10.0.0.7/r4' });
});

test('unsaved changes are asked about before another connection opens', async () => {
  const router = renderScreen(<IntegrationsPage />, '/?edit=c-2');
  const pane = await editor('Maple Street EHR');
  fill('Name', 'Maple EHR', pane);
  await userEvent.click(within(await rowOf('Homestead Chart')).getByText('Homestead Chart'));
  const question = await dialog('Discard your changes?');
  expect(router.state.location.search).toEqual({ edit: 'c-2' });
  await press('Discard', question);
  await editor('Homestead Chart');
  expect(router.state.location.search).toEqual({ edit: 'c-1' });
});

test('a new key is made of what is saved, and the page says what to do then', async () => {
  const rekeyed = { ...maple, keyId: 'cp-2026-12', version: 4 };
  const saved = answer('put', LIST, rekeyed);
  // Gives the page a clipboard.
  userEvent.setup();
  const write = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
  renderScreen(<IntegrationsPage />, '/?edit=c-2');
  const pane = await editor('Maple Street EHR');
  fill('Name', 'Not saved yet', pane);
  await press('New key', pane);
  await press('Create new key', await dialog('New key'));
  expect(await within(pane).findByText('The new key is in use.')).toBeInTheDocument();
  expect(within(pane).getByText('cp-2026-12')).toBeInTheDocument();
  expect(saved[0]!.body).toMatchObject({ name: 'Maple Street EHR', newKey: true, version: 3 });
  expect(textbox('Name', pane)).toHaveValue('Not saved yet');
  await press('Copy address of our keys', pane);
  expect(write).toHaveBeenCalledWith(maple.keySetUrl);
});

test('deleting says what happens to documents in the chart and to those that wait', async () => {
  const asked = answer('delete', '/api/integrations/{id}', null as never);
  renderScreen(<IntegrationsPage />);
  await fromMenu('Homestead Chart', 'Delete');
  const question = await dialog('Delete connection');
  expect(question).toHaveTextContent('Filed documents stay in the chart. The 7 documents that wait are not filed.');
  await press('Delete', question);
  await shows('The connection was deleted.');
  expect(asked[0]!.path).toMatchObject({ id: 'c-1' });
});

test('without permission of the operators nothing can be added, and the page says whom to ask', async () => {
  answer('get', '/api/integrations/types', types(false));
  answer('get', LIST, { items: [{ ...maple, state: 'NotAllowed' }] });
  renderScreen(<IntegrationsPage />, '/?edit=c-2');
  expect(await screen.findByText(/Please ask the operator to put it on the integrations whitelist/)).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Add connection' })).toBeDisabled();
  const pane = await editor('Maple Street EHR');
  expect(within(pane).getByRole('button', { name: /^Test/ })).toBeDisabled();
  expect(within(pane).getByRole('button', { name: /^Save/ })).toBeEnabled();
});

test('on a phone there are cards, and a connection opens in a dialog that asks before it loses changes', async () => {
  Object.assign(viewport, { isPhone: true, isLabelled: false });
  const router = renderScreen(<IntegrationsPage />);
  const cards = await screen.findByRole('list', { name: 'Connections' });
  const [first, second] = await within(cards).findAllByRole('listitem');
  expect(first).toHaveTextContent('7 documents wait to be filed');
  expect(within(first!).getByRole('button', { name: 'Test again' })).toBeInTheDocument();
  await userEvent.click(within(second!).getByRole('button', { name: /^Maple Street EHR/ }));
  const opened = await dialog('Maple Street EHR');
  fill('Name', 'Maple EHR', opened);
  await press('Cancel', opened);
  await press('Discard', await dialog('Discard your changes?'));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(router.state.location.search).toEqual({});
});
