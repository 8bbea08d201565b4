import { useLocation } from '@tanstack/react-router';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { AlternateOid, ServiceAccount } from '@/api/types';
import { answer, refusal } from '@/test/answers';
import { fromMenu, dialog, fill, press, shows, tag, textbox } from '@/test/acts';
import { renderConsole } from '@/test/console';
import { AlternateOids } from './carequality/AlternateOids';
import { DirectTab } from './DirectTab';
import { IpAddressesTab } from './IpAddressesTab';
import { QhinTab } from './QhinTab';
import { ServiceAccountsTab } from './ServiceAccountsTab';
import { SettingsTab } from './SettingsTab';

const page = (...items: object[]) => ({ items, totalCount: items.length, totalIsCapped: false }) as never;
/** The form below a heading. */
const section = async (title: string) => (await screen.findByRole('heading', { name: title })).closest('form')!;

const account: ServiceAccount = {
  id: 'a',
  name: 'Interface engine',
  clientId: 'c',
  serviceAccountEnabled: true,
  clientIpAddresses: ['203.0.113.9'],
  allowedAddressCount: 5,
  version: 1,
  createDate: '2026-11-01T08:00:00Z',
  tokenIssuedDate: '2026-11-01T08:00:00Z',
};

test('an operator gives a service account its addresses, and raises the limits (ADA-S-012, ADA-R-254, ADA-R-256, ADA-T-081, ADA-T-104)', async () => {
  let saved = account;
  answer('get', '/api/organizations/{id}/serviceaccount', () => page(saved));
  answer('get', '/api/organizations/{id}/serviceaccount/limit', { count: 1 } as never);
  answer(
    'get',
    '/api/organizations/{id}/integrations',
    page({ id: 'a', kind: 'ServiceAccount', name: 'Interface engine', isEnabled: true }),
  );
  renderConsole(<ServiceAccountsTab organizationId="o" />);
  expect(await screen.findByRole('region', { name: 'Integrations' })).toHaveTextContent('Service accountInterface engine Enabled');
  await fromMenu('Interface engine', 'Edit');
  const edit = await dialog('Edit service account');
  await tag('Client IP Addresses', ['2001:db8::/32'], edit);
  const put = answer(
    'put',
    '/api/organizations/{id}/serviceaccounts/{accountId}',
    ({ body }) => (saved = { ...saved, ...body, version: 2 }) as never,
  );
  await press('Save Changes', edit);
  await shows('2 of 5');
  expect(put[0]!.body).toMatchObject({ clientIpAddresses: ['203.0.113.9', '2001:db8::/32'], version: 1 });

  const LIMIT = '/api/organizations/{id}/serviceaccounts/{accountId}/ipaddresses/limit';
  await fromMenu('Interface engine', 'Allowed Addresses');
  const allowed = await dialog('Allowed Addresses');
  const lower = 'The number of Allowed Addresses cannot be lower than the count';
  refusal('put', LIMIT, 422, { modelState: { count: [lower] } });
  fill('Allowed Addresses', '1', allowed);
  await press('Save Changes', allowed);
  await waitFor(() => expect(textbox('Allowed Addresses', allowed)).toHaveAccessibleDescription(new RegExp(lower)));
  refusal('put', LIMIT, 500);
  fill('Allowed Addresses', '9', allowed);
  await press('Save Changes', allowed);
  await shows('Error updating address count.');
  const raised = answer('put', LIMIT, ({ body }) => (saved = { ...saved, allowedAddressCount: body.count }) as never);
  await press('Save Changes', allowed);
  await shows('Address count updated');
  await shows('2 of 9');
  expect(raised[0]).toMatchObject({ path: { id: 'o', accountId: 'a' }, body: { count: 9 } });

  fill('Service account limit', '2');
  const limit = answer('put', '/api/organizations/{id}/serviceaccount/limit', ({ body }) => body as never);
  await press('Save limit');
  await shows('The service account limit was saved successfully.');
  expect(limit[0]!.body).toEqual({ count: 2 });
});

const SECURITY = '/api/account/settings/security';
const security = { idleMinutes: 15, requireSecondFactor: false, requireWhitelistedIp: false, allowedAddresses: ['192.0.2.1'], version: 3 };

test('the session and the addresses of an organization are saved apart, each with the rest as it is then (ADA-S-017)', async () => {
  let saved = security;
  answer('get', SECURITY, () => saved as never);
  const put = answer('put', SECURITY, ({ body }) => (saved = { ...security, ...(body as object), version: 4 }) as never);
  answer('get', '/api/settings/interoperability', { version: 1 } as never);
  const Tabs = () =>
    useLocation({ select: (l) => l.pathname }) === '/ipaddresses' ? (
      <IpAddressesTab organizationId="o" />
    ) : (
      <SettingsTab organizationId="o" />
    );
  const router = renderConsole(<Tabs />);
  const session = await section('Session and sign-in');
  fill('Minutes of inactivity until sign-out', '7', session);
  await press('Save Changes', session);
  await shows('The settings were saved.');
  expect(put[0]).toMatchObject({ body: { ...security, idleMinutes: 7 } });
  expect(put[0]!.query.get('organizationId')).toBe('o');
  await router.navigate({ href: '/ipaddresses' });
  const addresses = await section('IP Addresses');
  await tag('IP Addresses', ['192.0.2.0/24'], addresses);
  await press('Save Changes', addresses);
  await shows('The allowed addresses were saved.');
  expect(put[1]!.body).toEqual({ ...security, idleMinutes: 7, allowedAddresses: ['192.0.2.1', '192.0.2.0/24'], version: 4 });
});

test('settings that somebody else changed meanwhile are shown, and only those of the form are saved over theirs (ADA-S-011)', async () => {
  let saved = security;
  answer('get', SECURITY, () => saved as never);
  answer('get', '/api/settings/interoperability', { version: 1 } as never);
  renderConsole(<SettingsTab organizationId="o" />);
  const session = await section('Session and sign-in');
  fill('Minutes of inactivity until sign-out', '9', session);
  saved = { ...security, idleMinutes: 12, allowedAddresses: ['198.51.100.7'], version: 4 };
  refusal('put', SECURITY, 409, { reason: 'Changed in the meantime.' });
  await press('Save Changes', session);
  await shows('Minutes of inactivity until sign-out: 15 became 12.');
  await press('Keep mine', session);
  const put = answer('put', SECURITY, ({ body }) => body as never);
  await press('Save Changes', session);
  await shows('The settings were saved.');
  expect(put[0]!.body).toMatchObject({ idleMinutes: 9, allowedAddresses: ['198.51.100.7'], version: 4 });
});

test('an operator sets how documents are faxed, and how an organization takes part in a QHIN (ADA-S-015)', async () => {
  answer('get', SECURITY, security as never);
  answer('get', '/api/settings/interoperability', { exportMode: 'print', suppressFaxMetadataPages: false, version: 1 } as never);
  const none = {
    participates: false,
    qhinName: '',
    homeCommunityId: '',
    patientDiscoveryUrl: '',
    documentQueryUrl: '',
    documentRetrieveUrl: '',
    version: 6,
  };
  answer('get', '/api/admin/organizations/{id}/qhin', none);
  renderConsole(
    <>
      <SettingsTab organizationId="o" />
      <QhinTab organizationId="o" />
    </>,
  );
  const documents = await section('Documents');
  fireEvent.click(within(documents).getByRole('checkbox', { name: 'Faxes have no pages of details about patient and files' }));
  const interoperability = answer('put', '/api/settings/interoperability', ({ body }) => body as never);
  await press('Save Changes', documents);
  await shows('The document settings were saved.');
  expect(interoperability[0]).toMatchObject({ body: { suppressFaxMetadataPages: true, version: 1 } });

  const qhin = await section('QHIN');
  expect(within(qhin).queryByRole('textbox')).toBeNull();
  fireEvent.click(within(qhin).getByRole('checkbox', { name: 'The organization takes part' }));
  fill('Patient discovery', 'https://qhin.example/iti55', qhin);
  const put = answer('put', '/api/admin/organizations/{id}/qhin', ({ body }) => ({ ...none, ...body }) as never);
  await press('Save Changes', qhin);
  await shows('Please enter the name of the QHIN.');
  expect(put).toEqual([]);
  fill('Name of the QHIN', 'Northern Exchange', qhin);
  fill('Home community ID', '2.16.840.1.113883.3.9999', qhin);
  await press('Save Changes', qhin);
  await shows('The participation was saved.');
  expect(put[0]!.body).toMatchObject({
    participates: true,
    qhinName: 'Northern Exchange',
    homeCommunityId: '2.16.840.1.113883.3.9999',
    patientDiscoveryUrl: 'https://qhin.example/iti55',
    version: 6,
  });
});

test('the certificate of a Direct domain is renewed after a question (ADA-S-010)', async () => {
  answer('get', '/api/organizations/{id}/direct', {
    domain: 'larkfield.direct.example',
    isServed: true,
    certificate: { serial: '1', notAfter: '2027-11-01T08:00:00Z' },
  } as never);
  answer('get', '/api/settings/directaddresses', page());
  renderConsole(<DirectTab organizationId="o" />);
  fireEvent.click(await screen.findByRole('button', { name: 'More for the certificate' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Renew' }));
  const question = await dialog('Renew Certificate');
  expect(question).toHaveTextContent('larkfield.direct.example');
  const put = answer('put', '/api/organizations/{id}/directsettings', null as never);
  await press('Renew', question);
  await shows('The certificate was renewed.');
  expect(put[0]!.body).toEqual({ certificate: 'Renew' });
});

const OIDS = '/api/admin/organizations/{id}/oids';
const oid = (over: Partial<AlternateOid> = {}): AlternateOid => ({
  id: 'x',
  organizationId: 'o',
  value: '2.16.840.1.113883.3.9999',
  isDefault: false,
  version: 1,
  ...over,
});

test('an alternate OID is added, edited and deleted after a question (ADA-S-024, ADA-S-025, ADA-S-026, ADA-R-016, ADA-R-082, ADA-R-083, ADA-R-084)', async () => {
  let saved: AlternateOid[] = [];
  answer('get', OIDS, () => page(...saved));
  renderConsole(<AlternateOids id="o" />);
  await press('Add OID');
  const add = await dialog('Add Alternate Organization OID');
  expect(within(add).getAllByRole('textbox')).toEqual([textbox('Value', add)]);
  fill('Value', oid().value, add);
  const posted = answer('post', OIDS, () => (saved = [oid()])[0] as never);
  await press('Save', add);
  await shows('The OID was added successfully.');
  expect(posted[0]!.body).toEqual({ value: oid().value });
  await press(`Edit ${oid().value}`);
  const edit = await dialog('Edit Alternate Organization OID');
  fill('Value', '2.16.840.1.113883.3.8888', edit);
  const put = answer('put', OIDS, () => (saved = [oid({ value: '2.16.840.1.113883.3.8888' })])[0] as never);
  await press('Save', edit);
  await shows('The OID was updated successfully.');
  expect(put[0]!.body).toEqual({ id: 'x', value: '2.16.840.1.113883.3.8888', isDefault: false, version: 1 });
  await press('Delete 2.16.840.1.113883.3.8888');
  const question = await dialog('Delete OID');
  expect(question).toHaveTextContent('2.16.840.1.113883.3.8888');
  const deleted = answer('delete', `${OIDS}/{oidId}`, () => {
    saved = [];
    return null as never;
  });
  await press('Delete', question);
  await shows('The organization sends requests with its own OID only.');
  expect(deleted[0]!.path).toMatchObject({ id: 'o', oidId: 'x' });
});

test('an alternate OID is the default on the screen at once, and is not any more when that is refused (ADA-R-085, ADA-R-086)', async () => {
  let isDefault = false;
  answer('get', OIDS, () => page(oid({ isDefault })));
  renderConsole(<AlternateOids id="o" />);
  const toggle = await screen.findByRole('switch', { name: `Default: ${oid().value}` });
  refusal('put', OIDS, 500);
  fireEvent.click(toggle);
  // Nothing is awaited: the call has no answer yet.
  expect(toggle).toBeChecked();
  await shows('There was an error updating this OID.');
  await waitFor(() => expect(toggle).not.toBeChecked());
  const put = answer('put', OIDS, () => {
    isDefault = true;
    return oid({ isDefault }) as never;
  });
  fireEvent.click(toggle);
  await waitFor(() => expect(put[0]?.body).toMatchObject({ id: 'x', isDefault: true, version: 1 }));
  await waitFor(() => expect(toggle).toBeChecked());
});

test('a new token of a service account is shown once, after a question', async () => {
  answer('get', '/api/organizations/{id}/serviceaccount', page(account));
  answer('get', '/api/organizations/{id}/serviceaccount/limit', { count: 1 } as never);
  answer('get', '/api/organizations/{id}/integrations', page());
  renderConsole(<ServiceAccountsTab organizationId="o" />);
  await fromMenu('Interface engine', 'New token');
  const question = await dialog('New Token');
  expect(question).toHaveTextContent('Interface engine');
  const posted = answer('post', '/api/organizations/{id}/serviceaccounts/{accountId}/token', { token: 'cpsa_secret' } as never);
  await press('Create new token', question);
  const shown = await dialog('Token of the service account');
  expect(shown).toHaveTextContent('cpsa_secret');
  expect(posted[0]!.path).toMatchObject({ id: 'o', accountId: 'a' });
  await press('I have saved it', shown);
  await waitFor(() => expect(screen.queryByText('cpsa_secret')).toBeNull());
});

const ANCHORS = '/api/admin/trust/anchors';
const anchor = {
  id: 't',
  subject: 'CN=North Root, O=Partner Health',
  organizationId: 'o',
  direction: 'Both',
  requiresRevocation: false,
  notAfter: '2126-11-01T00:00:00Z',
  version: 2,
};

test('a certificate out of a file is trusted for one organization, gets other terms and is removed', async () => {
  let anchors: object[] = [];
  answer('get', '/api/organizations/{id}/direct', { domain: 'larkfield.direct.example', isServed: false } as never);
  answer('get', ANCHORS, () => page(...anchors));
  answer('get', `${ANCHORS}/{id}`, anchor as never);
  renderConsole(<DirectTab organizationId="o" />, { address: '/?list=anchors' });
  await press('Add anchor');
  const add = await dialog('Add a trust anchor');
  fireEvent.change(within(add).getByLabelText('Certificate: file'), { target: { files: [new File(['-----BEGIN'], 'north.pem')] } });
  await waitFor(() => expect(textbox('Certificate', add)).toHaveValue('-----BEGIN'));
  refusal('post', ANCHORS, 422, { modelState: { certificate: ['This is not a readable certificate.'] } });
  await press('Trust', add);
  await waitFor(() => expect(textbox('Certificate', add)).toHaveAccessibleDescription(/This is not a readable certificate./));
  fill('Certificate', '-----BEGIN CERTIFICATE-----', add);
  const posted = answer('post', ANCHORS, () => (anchors = [anchor])[0] as never);
  await press('Trust', add);
  await shows('The certificate is trusted.');
  expect(posted[0]!.body).toEqual({
    certificate: '-----BEGIN CERTIFICATE-----',
    direction: 'Both',
    requiresRevocation: false,
    organizationId: 'o',
  });
  expect(await screen.findByRole('row', { name: /North Root/ })).toHaveTextContent('Received and sent mail');
  await fromMenu(anchor.subject, 'Edit');
  const edit = await dialog('Edit trust anchor');
  fireEvent.click(await within(edit).findByRole('checkbox', { name: /^Require revocation lists/ }));
  const put = answer('put', `${ANCHORS}/{id}`, anchor as never);
  await press('Save Changes', edit);
  await shows('The trust anchor was saved.');
  expect(put[0]).toMatchObject({ path: { id: 't' }, body: { direction: 'Both', requiresRevocation: true, version: 2 } });
  await fromMenu(anchor.subject, 'Remove');
  const deleted = answer('delete', `${ANCHORS}/{id}`, null as never);
  await press('Remove', await dialog('Remove trust anchor'));
  await shows('The trust anchor was removed.');
  expect(deleted[0]!.path.id).toBe('t');
});
