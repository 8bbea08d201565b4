import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { RoutingRule } from '@/api/types';
import { answer, refusal } from '@/test/answers';
import { fromMenu, choose, dialog, fill, menuOf, press, shows, textbox, sizesOffered } from '@/test/acts';
import { renderConsole } from '@/test/console';
import { RoutingRulesPage } from './RoutingRulesPage';

const RULES = '/api/admin/routingrules';
const ADDRESS = 'results@northgate.direct.example';
const endpoint = { id: 'e', routingRuleId: 'r', ipAddress: 'engine.example', port: '9', oid: '', position: 1, version: 3 };
const sender = {
  id: 's',
  routingRuleId: 'r',
  organizationId: 'o',
  organizationName: 'Larkfield Family Medicine',
  organizationOid: '1.2.840.99.1',
  facilityType: '',
  facilityTypeCodeId: '',
  facilityTypeCodeScheme: '',
  version: 5,
};
const rule = (over: Partial<RoutingRule> = {}): RoutingRule => ({
  id: 'r',
  address: ADDRESS,
  stepType: 'SendAsHL7OverVpnStep',
  securityType: 'None',
  customCertificateName: '',
  convertToFormat: null,
  locationCode: null,
  facilityOid: '',
  keyHieAddress: '',
  endpoints: [],
  senders: [],
  version: 2,
  ...over,
});
/** The data on the server. */
let rules: RoutingRule[];
let listed: { query: URLSearchParams }[];

beforeEach(() => {
  rules = [rule()];
  listed = answer('get', RULES, () => ({ routingRules: rules, totalRulesCount: 11 * rules.length }));
  answer('get', `${RULES}/{id}`, () => rules[0]!);
});
afterEach(() => void vi.useRealTimers());
const row = () => screen.findByRole('row', { name: new RegExp(ADDRESS) });

test('a rule is created as its form says and appears in the list; a failure is reported, and nothing typed is lost (ADB-S-011, ADB-R-092, ADB-R-106, ADB-R-111, ADB-R-112, ADB-T-018, ADB-T-021, ADB-T-022)', async () => {
  rules = [];
  renderConsole(<RoutingRulesPage />);
  fireEvent.click(await screen.findByRole('button', { name: 'Create' }));
  const form = await dialog('New routing rule');
  fill('Address', ADDRESS, form);
  await choose('Step type', 'HL7 over MLLP', form);
  await choose('Security model', 'Mutual TLS', form);
  expect(within(form).queryByRole('textbox', { name: 'Custom certificate name' })).toBeNull();
  await choose('Security model', 'Certificate', form);
  expect(textbox('Custom certificate name', form)).toHaveAttribute('placeholder', 'Default');
  await choose('Convert to format', 'MDM', form);
  await choose('Location code', 'smh', form);
  fill('Facility OID', '1.2.840.99.7', form);
  fill('KeyHIE address', 'front desk', form);
  refusal('post', RULES, 500);
  await press('Create', form);
  await shows('There was an error saving this Routing Rule.');
  const posted = answer('post', RULES, ({ body }) => {
    rules = [rule(body as Partial<RoutingRule>)];
    return rules[0]!;
  });
  await press('Create', form);
  await shows('The Routing Rule was saved successfully.');
  expect(posted).toHaveLength(1);
  expect(posted[0]!.body).toEqual({
    address: ADDRESS,
    stepType: 'SendAsHL7Step',
    securityType: 'Certificate',
    customCertificateName: '',
    convertToFormat: 'MDM',
    locationCode: 'smh',
    facilityOid: '1.2.840.99.7',
    keyHieAddress: 'front desk',
  });
  expect(await row()).toHaveTextContent('MDM');
});

test('a rule is edited, with the version that was read (ADB-R-091, ADB-R-107)', async () => {
  renderConsole(<RoutingRulesPage />);
  expect(await menuOf(ADDRESS)).toEqual(['Edit', 'Manage endpoints', 'Manage sending organizations', 'Test', 'Delete']);
  fireEvent.click(screen.getByRole('menuitem', { name: 'Edit' }));
  const form = await dialog('Edit routing rule');
  await waitFor(() => expect(textbox('Address', form)).toHaveValue(ADDRESS));
  await choose('Convert to format', 'ORU', form);
  refusal('put', `${RULES}/{id}`, 500);
  await press('Save Changes', form);
  await shows('There was an error saving this Routing Rule.');
  const put = answer('put', `${RULES}/{id}`, ({ body }) => {
    rules = [rule(body as Partial<RoutingRule>)];
    return rules[0]!;
  });
  await press('Save Changes', form);
  await shows('The Routing Rule was saved successfully.');
  expect(put[0]).toMatchObject({ path: { id: 'r' }, body: { convertToFormat: 'ORU', version: 2 } });
  expect(await row()).toHaveTextContent('ORU');
});

test('a deletion names the rule and its endpoints first, and says whether it worked (ADB-S-016, ADB-R-108, ADB-R-113, ADB-R-114, ADB-R-115, ADB-R-116, ADB-T-023, ADB-T-024)', async () => {
  rules = [rule({ endpoints: [endpoint] })];
  renderConsole(<RoutingRulesPage />);
  await fromMenu(ADDRESS, 'Delete');
  const question = await dialog('Delete routing rule');
  expect(question).toHaveTextContent(ADDRESS);
  expect(question).toHaveTextContent('Its 1 endpoint will be deleted too: engine.example, port 9.');
  refusal('delete', `${RULES}/{id}`, 500);
  await press('Delete', question);
  await shows('There was an error deleting this message routing rule.');
  const deleted = answer('delete', `${RULES}/{id}`, () => {
    rules = [];
    return null;
  });
  await press('Delete', question);
  await shows('The Message Routing Rule was deleted successfully.');
  expect(deleted[0]!.path.id).toBe('r');
  await screen.findByRole('heading', { name: 'No routing rules yet' });
});

test('rules are searched and sorted by address in pages of 10, 25, 50 or 100, with a long KeyHIE address cut off (ADB-S-010, ADB-R-082, ADB-R-084, ADB-R-085, ADB-R-086, ADB-R-087, ADB-R-089)', async () => {
  const keyHieAddress = 'a-very-long-keyhie-address';
  rules = [rule({ keyHieAddress, endpoints: [endpoint] })];
  renderConsole(<RoutingRulesPage />);
  expect(within(await row()).getByText('a-very-long-keyhi…')).toHaveAttribute('title', keyHieAddress);
  expect(screen.getAllByRole('columnheader', { hidden: true }).map((c) => c.textContent)).toEqual(
    expect.arrayContaining([
      'Address',
      'Step type',
      'Convert to format',
      'Location code',
      'Facility OID',
      'KeyHIE address',
      'Endpoints',
      'Orgs',
    ]),
  );
  expect(within(await row()).getByText('None')).toBeInTheDocument();
  expect(Object.fromEntries(listed.at(-1)!.query)).toEqual({ sortDir: 'asc', pageNumber: '1', pageSize: '10' });
  expect(sizesOffered()).toEqual(['10', '25', '50', '100']);
  fireEvent.click(screen.getByRole('button', { name: /^Address/ }));
  await waitFor(() => expect(listed.at(-1)!.query.get('sortDir')).toBe('desc'));
  fireEvent.change(screen.getByRole('searchbox', { name: 'Search routing rules' }), { target: { value: 'northgate' } });
  await waitFor(() => expect(listed.at(-1)!.query.get('search')).toBe('northgate'));
});

test('endpoints of a rule are added, edited and deleted, and each result is told (ADB-S-012, ADB-S-013, ADB-R-117, ADB-R-122, ADB-R-123, ADB-R-124, ADB-R-126, ADB-R-127, ADB-R-128, ADB-R-129, ADB-R-130, ADB-R-131, ADB-T-019, ADB-T-025, ADB-T-026, ADB-T-027)', async () => {
  renderConsole(<RoutingRulesPage />);
  await fromMenu(ADDRESS, 'Manage endpoints');
  await press('Add endpoint', await dialog('Manage Endpoints'));
  const form = await dialog('Add endpoint');
  fill('IP address or hostname', 'engine.example', form);
  fill('Port', '99999', form);
  await press('Add', form);
  expect(within(form).getByText('Please enter a port from 1 to 65535.')).toBeInTheDocument();
  fill('Port', '9', form);
  refusal('post', `${RULES}/endpoints`, 500);
  await press('Add', form);
  await shows('There was an error creating the Endpoint');
  const posted = answer('post', `${RULES}/endpoints`, () => {
    rules = [rule({ endpoints: [endpoint] })];
    return endpoint;
  });
  await press('Add', form);
  await shows('The Endpoint was created successfully.');
  expect(posted[0]!.body).toEqual({ ipAddress: 'engine.example', port: '9', oid: '', routingRuleId: 'r' });
  expect(await screen.findByRole('listitem')).toHaveTextContent('engine.example, port 9');

  await press('Edit engine.example, port 9', await dialog('Manage Endpoints'));
  const edit = await dialog('Edit endpoint');
  fill('Port', '10', edit);
  refusal('put', `${RULES}/endpoints/{id}`, 500);
  await press('Save Changes', edit);
  await shows('There was an error updating the Endpoint');
  const put = answer('put', `${RULES}/endpoints/{id}`, () => {
    rules = [rule({ endpoints: [{ ...endpoint, port: '10' }] })];
    return rules[0]!.endpoints[0]!;
  });
  await press('Save Changes', edit);
  await shows('The Endpoint was saved successfully.');
  expect(put[0]).toMatchObject({ path: { id: 'e' }, body: { port: '10', version: 3 } });

  fireEvent.click(await screen.findByRole('button', { name: 'Delete engine.example, port 10' }));
  const question = await dialog('Delete endpoint');
  refusal('delete', `${RULES}/endpoints/{id}`, 500);
  await press('Delete', question);
  await shows('There was an error deleting the Endpoint');
  answer('delete', `${RULES}/endpoints/{id}`, () => {
    rules = [rule()];
    return null;
  });
  await press('Delete', question);
  await shows('The Endpoint was deleted successfully.');
  await shows('Messages to this address go by Direct until you add an endpoint.');
});

test('a sending organization is chosen from a list that is searched from two letters on, 300 ms after the last one (ADB-R-134, ADB-R-135, ADB-R-136, ADB-R-138)', async () => {
  const searched = answer('get', '/api/organizations', { items: [], totalCount: 0, totalIsCapped: false } as never);
  renderConsole(<RoutingRulesPage />);
  await fromMenu(ADDRESS, 'Manage sending organizations');
  await press('Add organization', await dialog('Manage Senders'));
  const form = await dialog('Add sending organization');
  const organization = within(form).getByRole('combobox', { name: /^Organization/ });
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
  fireEvent.change(organization, { target: { value: 'L' } });
  await pass(1000);
  expect(searched).toEqual([]);
  fireEvent.change(organization, { target: { value: 'Lark' } });
  await pass(200);
  expect(searched).toEqual([]);
  await pass(150);
  await vi.waitFor(() => expect(searched).toHaveLength(1));
  expect(Object.fromEntries(searched[0]!.query)).toEqual({ search: 'Lark', sortDir: 'asc', pageNumber: '1', pageSize: '20' });
  fireEvent.click(within(form).getByRole('button', { name: 'Add' }));
  expect(await within(form).findByText('Please choose an organization from the list.')).toBeInTheDocument();
});

test('sending organizations of a rule are added, edited and removed, and each result is told (ADB-S-014, ADB-S-015, ADB-R-132, ADB-R-139, ADB-R-140, ADB-R-141, ADB-R-143, ADB-R-144, ADB-R-145, ADB-R-146, ADB-R-147, ADB-R-148, ADB-T-020, ADB-T-028, ADB-T-029, ADB-T-030)', async () => {
  answer('get', '/api/organizations', {
    items: [{ id: 'o', name: sender.organizationName, subDomain: 'larkfield' }],
    totalCount: 1,
    totalIsCapped: false,
  } as never);
  renderConsole(<RoutingRulesPage />);
  await fromMenu(ADDRESS, 'Manage sending organizations');
  await press('Add organization', await dialog('Manage Senders'));
  const form = await dialog('Add sending organization');
  fireEvent.change(within(form).getByRole('combobox', { name: /^Organization/ }), { target: { value: 'Lark' } });
  fireEvent.click(await screen.findByRole('option', { name: /^Larkfield/, hidden: true }));
  fill('OID', '1.2.840.99.1', form);
  refusal('post', `${RULES}/senders`, 500);
  await press('Add', form);
  await shows('There was an error adding the Organization to this routing rule.');
  const posted = answer('post', `${RULES}/senders`, () => {
    rules = [rule({ senders: [sender] })];
    return sender;
  });
  await press('Add', form);
  await shows('The Organization was added to this routing rule successfully.');
  expect(posted[0]!.body).toMatchObject({ routingRuleId: 'r', organizationId: 'o', organizationOid: '1.2.840.99.1' });
  expect(await screen.findByRole('listitem')).toHaveTextContent('Larkfield Family Medicine 1.2.840.99.1');

  await press(/^Edit/, await dialog('Manage Senders'));
  const edit = await dialog('Edit sending organization');
  expect(within(edit).queryByRole('combobox')).toBeNull();
  fill('OID', '1.2.840.99.2', edit);
  refusal('put', `${RULES}/senders/{id}`, 500);
  await press('Save Changes', edit);
  await shows('There was an error updating the Organization.');
  const put = answer('put', `${RULES}/senders/{id}`, () => {
    rules = [rule({ senders: [{ ...sender, organizationOid: '1.2.840.99.2' }] })];
    return rules[0]!.senders[0]!;
  });
  await press('Save Changes', edit);
  await shows('The Organization was saved successfully.');
  expect(put[0]).toMatchObject({ path: { id: 's' }, body: { organizationId: 'o', organizationOid: '1.2.840.99.2', version: 5 } });
  expect(await screen.findByRole('listitem')).toHaveTextContent('1.2.840.99.2');

  await press(/^Remove/, await dialog('Manage Senders'));
  const question = await dialog('Remove sending organization');
  refusal('delete', `${RULES}/senders/{id}`, 500);
  await press('Remove', question);
  await shows(/^There was an error removing the Endpoint/);
  answer('delete', `${RULES}/senders/{id}`, () => {
    rules = [rule()];
    return null;
  });
  await press('Remove', question);
  await shows('The Organization was removed successfully.');
  await shows('All messages to this address go by Direct until you add a sending organization.');
});

test('a dry run says how many messages the rule would have taken, and a test message what was said to the endpoint', async () => {
  rules = [rule({ endpoints: [endpoint, { ...endpoint, id: 'f', port: '10' }] })];
  answer('get', `${RULES}/{id}/dryrun`, {
    matchedCount: 2,
    almostCount: 1,
    scannedCount: 40,
    isWhole: true,
    since: '2026-10-29T00:00:00Z',
    items: [
      { messageId: 'm', sentAt: '2026-11-20T10:00:00Z', organizationName: 'Larkfield Family Medicine', verdict: 'NotASender' },
    ] as never,
  });
  const sent = answer('post', `${RULES}/{id}/test`, {
    endpoint: 'engine.example, port 10',
    outcome: 'NotReached',
    reason: 'Connection refused',
    milliseconds: 12,
    sent: 'MSH|TEST^ROUTING',
    received: '',
  });
  renderConsole(<RoutingRulesPage />);
  await fromMenu(ADDRESS, 'Test');
  const opened = await dialog('Test routing rule');
  const run = await within(opened).findByRole('region', { name: 'Dry run' });
  await waitFor(() =>
    expect(run).toHaveTextContent(
      'Would have taken 2 of 40 deliveries of the last 30 days; 1 more to this address would have gone by Direct. Nothing is sent.',
    ),
  );
  expect(within(run).getByRole('listitem')).toHaveTextContent('By Direct: not a sending organization');
  await choose('Endpoint', '2. engine.example, port 10', opened);
  await press('Send test message', opened);
  expect(await within(opened).findByLabelText('Sent')).toHaveTextContent('MSH|TEST^ROUTING');
  expect(sent[0]).toMatchObject({ path: { id: 'r' }, body: { endpointId: 'f' } });
  expect(within(opened).getByText('Not reached')).toBeInTheDocument();
  expect(opened).toHaveTextContent('by engine.example, port 10 after 12 ms: Connection refused');
  expect(within(opened).getByText('Nothing')).toBeInTheDocument();
});
