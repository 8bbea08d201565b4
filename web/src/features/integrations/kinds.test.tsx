import { notifications } from '@mantine/notifications';
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type { ConnectionType, ConnectivityReport, EhrConnection } from '@/api/types';
import { dialog, fill, press, shows, textbox } from '@/test/acts';
import { answer, refusal } from '@/test/answers';
import { connectionType, ehrConnection } from '@/test/charts';
import { renderScreen } from '@/test/render';
import { IntegrationsPage } from './IntegrationsPage';

vi.mock('@/shared/useViewport', () => ({ useViewport: () => ({ isPhone: false, isNarrow: false, isMedium: false, isLabelled: true }) }));

const LIST = '/api/integrations';
const kinds: ConnectionType[] = [
  connectionType(),
  connectionType({ integrationType: 'Hl7', name: 'EHR (HL7 v2)', description: 'Finds what an EHR reports.', redirectUrl: '' }),
  connectionType({
    integrationType: 'WebService',
    name: 'Web service',
    description: 'Sends documents as JSON.',
    capabilities: ['documentSend'],
    bodyTemplate: '{ "event": {{event}} }',
    placeholders: ['event', 'document.title'],
  }),
];
const hospital = ehrConnection({
  id: 'c-7',
  integrationType: 'Hl7',
  name: 'Hospital feed',
  baseUrl: 'mllps://ehr.hospital.example:2575',
  authentication: 'Open',
  toldAt: '2026-11-20T09:12:00Z',
});
const desk = ehrConnection({
  id: 'c-8',
  integrationType: 'WebService',
  name: 'Referral desk',
  baseUrl: 'https://desk.example/in',
  authentication: 'Open',
  offered: ['documentSend'],
  hasSecret: true,
});
const report = (over: Partial<ConnectivityReport> = {}): ConnectivityReport => ({
  isConnected: true,
  steps: [{ step: 'Read', outcome: 'Passed', milliseconds: 3, detail: 'It answered; no document was sent' }],
  remedy: '',
  field: null,
  offered: [],
  software: '',
  ...over,
});
const editor = (name: string) => screen.findByRole('region', { name });

beforeEach(() => {
  setToken({ accessToken: 't', expiresIn: 900 });
  notifications.clean();
  answer('get', LIST, { items: [hospital, desk] });
  answer('get', '/api/integrations/types', { items: kinds });
  answer('post', '/api/integrations/connectivity', report());
  answer('get', '/api/integrations/{id}/connectivity', report());
});

test('by keys alone, an EHR with HL7 v2 is added: its fields only, how it is made to report, and errors where they belong', async () => {
  const wrong = 'This is no certificate. Please paste it as PEM, with its first and last line.';
  const refused = refusal('put', LIST, 422, { modelState: { 'messages.certificate': [wrong] } });
  const router = renderScreen(<IntegrationsPage />);
  await screen.findByText('Hospital feed', { selector: '.int-name' });
  await userEvent.keyboard('n');
  const asked = within(await dialog('Add connection'));
  await waitFor(() => expect(asked.getByRole('button', { name: /^EHR \(FHIR R4\)/ })).toHaveFocus());
  await userEvent.keyboard('{ArrowDown}{Enter}');
  const pane = await editor('New connection');
  expect(router.state.location.search).toEqual({ edit: 'new.Hl7' });
  const shown = within(pane);
  for (const name of [/^Signs in with/, 'Client ID', 'FHIR address', 'Scopes', 'Token', 'JSON template'])
    expect(shown.queryByLabelText(name)).toBeNull();
  expect(shown.getByRole('region', { name: 'What the EHR reports' })).toHaveTextContent(
    'Ask the operator of this installation for an HL7 interface of your organization',
  );
  fill('Name', 'Hospital', pane);
  fill('Receiving facility', 'NORTH', pane);
  fill('Certificate of the EHR', 'no certificate', pane);
  await press(/^Test and save/, pane);
  expect(await shown.findByText(wrong)).toBeInTheDocument();
  expect(textbox('Certificate of the EHR', pane)).toHaveAttribute('aria-invalid', 'true');
  expect(refused[0]!.body).toMatchObject({
    integrationType: 'Hl7',
    authentication: 'Open',
    baseUrl: '',
    messages: { kind: 'Mdm', receivingApplication: '', receivingFacility: 'NORTH', certificate: 'no certificate' },
  });
});

test('the list tells the address, and when an EHR with HL7 v2 last reported something', async () => {
  renderScreen(<IntegrationsPage />, '/?kind=Hl7');
  const row = (await screen.findByText('Hospital feed', { selector: '.int-name' })).closest('tr')!;
  expect(row).toHaveTextContent('EHR (HL7 v2)mllps://ehr.hospital.example:2575');
  expect(row).toHaveTextContent(/Last message \w/);
  expect(screen.queryByText('Referral desk')).toBeNull();
});

test('a stored token is never shown: it is removed or replaced, and is for the address that it was entered for', async () => {
  const saved = answer('put', LIST, ({ body }) => ({ ...desk, hasSecret: !body.forgetsSecret, version: 2 }) as EhrConnection);
  renderScreen(<IntegrationsPage />, '/?edit=c-8');
  const pane = await editor('Referral desk');
  const shown = within(pane);
  expect(await shown.findByText('A token is stored.')).toBeInTheDocument();
  expect(shown.queryByLabelText('Token')).toBeNull();
  fill('Address', 'https://desk.example/other', pane);
  expect(await shown.findByLabelText('Token')).toBeInTheDocument();
  expect(shown.getByText(/stored token is for the previous address/)).toBeInTheDocument();
  fill('Address', 'https://desk.example/in/', pane);
  await press('Remove', pane);
  await press(/^Test and save/, pane);
  await shows('The connection was saved.');
  expect(saved[0]!.body).toMatchObject({ id: 'c-8', secret: '', forgetsSecret: true, authentication: 'Open' });
});

test('a test that finds the token refused puts the cursor into it', async () => {
  answer(
    'get',
    '/api/integrations/{id}/connectivity',
    report({
      isConnected: false,
      steps: [{ step: 'SignIn', outcome: 'Failed', milliseconds: 9, detail: 'It does not accept the token.' }],
      remedy: 'Please enter the token again.',
      field: 'secret',
    }),
  );
  renderScreen(<IntegrationsPage />, '/?edit=c-8');
  const pane = await editor('Referral desk');
  await press(/^Test/, await within(pane).findByRole('region', { name: 'Connection test' }));
  await waitFor(() => expect(within(pane).getByLabelText('Token')).toHaveFocus());
});

test('the template is the usual one while it is blank; placeholders are inserted at the cursor, and its errors are shown there', async () => {
  const wrong = 'This is no JSON. A placeholder stands for a whole value, so it needs no quotation marks.';
  const asked = refusal('post', '/api/integrations/connectivity', 422, { modelState: { bodyTemplate: [wrong] } });
  renderScreen(<IntegrationsPage />, '/?edit=c-8');
  const pane = await editor('Referral desk');
  const field = textbox('JSON template', pane) as HTMLTextAreaElement;
  await waitFor(() => expect(field).toHaveAttribute('placeholder', '{ "event": {{event}} }'));
  await press('Change the usual template', pane);
  expect(field).toHaveValue('{ "event": {{event}} }');
  fireEvent.change(field, { target: { value: '{ "title":  }' } });
  field.setSelectionRange(11, 11);
  await press('document.title', pane);
  expect(field).toHaveValue('{ "title": {{document.title}} }');
  await press(/^Test and save/, pane);
  expect(await within(pane).findByText(wrong)).toBeInTheDocument();
  expect(asked[0]!.body).toMatchObject({ bodyTemplate: '{ "title": {{document.title}} }' });
  await press('Use the usual template', pane);
  expect(field).toHaveValue('');
});

test('what was typed for a web service survives a reload, but not its token', async () => {
  renderScreen(<IntegrationsPage />, '/?edit=new.WebService');
  let pane = await editor('New connection');
  fill('Name', 'Archive', pane);
  fireEvent.change(within(pane).getByLabelText('Token'), { target: { value: 'top-secret' } });
  await waitFor(() => expect(JSON.stringify({ ...sessionStorage })).toContain('Archive'));
  expect(JSON.stringify({ ...sessionStorage })).not.toContain('top-secret');
  cleanup();
  renderScreen(<IntegrationsPage />, '/?edit=new.WebService');
  pane = await editor('New connection');
  await waitFor(() => expect(textbox('Name', pane)).toHaveValue('Archive'));
  expect(within(pane).getByLabelText('Token')).toHaveValue('');
});

test('without the kinds of systems the page says why nothing can be added, and asks for them again', async () => {
  refusal('get', '/api/integrations/types', 400, {});
  renderScreen(<IntegrationsPage />);
  expect(await screen.findByText(/The choices could not be loaded/)).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Add connection' })).toBeDisabled();
  answer('get', '/api/integrations/types', { items: kinds });
  await press('Try again');
  await waitFor(() => expect(screen.getByRole('button', { name: 'Add connection' })).toBeEnabled());
});
