import { expect } from '../support';
import { area, button, dialog, failing, fromRowMenu, heading, rowsOf, type Screen, unroute } from './kit';
import type { Page } from '@playwright/test';

const ID = '0198f1aa-7a10-7000-8000-000000000031';
const hook = {
  id: ID,
  name: 'Practice system',
  url: 'https://hooks.larkfield.example/carepost',
  events: ['message.received', 'message.failed'],
  authenticationType: 'Bearer',
  userName: '',
  hasCredential: true,
  isActive: true,
  failingSince: '2026-11-19T08:00:00Z',
  pausedAt: null,
  version: 1,
};
const delivery = {
  id: '0198f1aa-7a10-7000-8000-000000000032',
  event: 'message.received',
  status: 'Failed',
  attempts: 16,
  createdAt: '2026-11-19T09:00:00Z',
  triedAt: '2026-11-20T09:00:00Z',
  responseStatus: 503,
  milliseconds: 184,
  reason: 'The endpoint answered with status 503.',
};
const page1 = (...items: object[]) => ({ items, totalCount: items.length, totalIsCapped: false });

/** A webhook as the server would show it, with what was sent to it. */
async function withWebhook(page: Page) {
  await page.route('**/api/webhooks?*', (route) => route.fulfill({ json: page1(hook) }));
  await page.route(`**/api/webhooks/${ID}`, (route) => route.fulfill({ json: hook }));
  await page.route(`**/api/webhooks/${ID}/secret`, (route) =>
    route.fulfill({ json: { secret: 'whsec_dGhpcyBpcyBub3QgYSByZWFsIHNlY3JldA==' } }),
  );
  await page.route(`**/api/webhooks/${ID}/deliveries?*`, (route) => route.fulfill({ json: page1(delivery) }));
  await page.route(`**/api/webhooks/${ID}/deliveries/*`, (route) =>
    route.fulfill({
      json: { ...delivery, body: JSON.stringify({ type: delivery.event, data: { messageId: ID } }), response: 'Service unavailable' },
    }),
  );
  await page.reload();
}

const webhooks: Screen = {
  as: 'dana',
  path: () => '/account/settings/webhooks',
  ready: heading('Webhooks'),
  views: [
    {
      name: 'a new webhook with what is wrong',
      show: async (page) => {
        await button(page, 'Create').click();
        const opened = dialog(page, 'New webhook');
        await opened.getByRole('button', { name: 'Create' }).click();
        await expect(opened.locator('[aria-invalid="true"]').first()).toBeVisible();
        return opened;
      },
    },
    {
      name: 'a webhook',
      fresh: true,
      show: async (page) => {
        await withWebhook(page);
        await fromRowMenu(page, 'Edit');
        await expect(page.getByRole('button', { name: 'Save Changes' })).toBeEnabled();
        return dialog(page, 'Edit webhook');
      },
      after: unroute,
    },
    {
      name: 'the signing secret',
      opens: ['SecretDialog'],
      fresh: true,
      show: async (page) => {
        await withWebhook(page);
        await fromRowMenu(page, 'Signing secret');
        await expect(page.getByText('whsec_')).toBeVisible();
        return dialog(page, 'Signing secret');
      },
      after: unroute,
    },
    {
      name: 'not loaded',
      fresh: true,
      show: async (page) => {
        await failing(page, '**/api/webhooks?*');
        await page.reload();
        await expect(page.getByRole('heading', { name: 'The webhooks could not be loaded' })).toBeVisible();
      },
      after: unroute,
    },
  ],
};

const deliveries: Screen = {
  as: 'dana',
  path: () => `/account/settings/webhooks/${ID}`,
  ready: (page) => button(page, 'Send failed again'),
  views: [
    {
      name: 'a delivery',
      opens: ['DeliveryDialog'],
      fresh: true,
      show: async (page) => {
        await withWebhook(page);
        await rowsOf('Deliveries')(page).click();
        await expect(page.getByText('Service unavailable')).toBeVisible();
        return dialog(page, 'Message received');
      },
    },
    {
      name: 'send failed again',
      opens: ['ResendDialog'],
      show: async (page) => {
        await button(page, 'Send failed again').click();
        return dialog(page, 'Send failed again');
      },
      after: unroute,
    },
  ],
};

const connection = {
  id: '0198f1aa-7a10-7000-8000-000000000041',
  integrationType: 'Fhir',
  name: 'Homestead Chart',
  isActive: true,
  baseUrl: 'https://fhir.homestead.example/r4',
  authentication: 'KeyPair',
  clientId: 'carepost-larkfield',
  scopes: '',
  requiresFacility: false,
  requiresDocumentType: true,
  descriptionTemplate: '',
  chartUrl: '',
  messages: { kind: 'Mdm', receivingApplication: '', receivingFacility: '', certificate: '' },
  bodyTemplate: '',
  hasSecret: false,
  toldAt: null,
  keyId: 'cp-2026-11',
  keyMadeAt: '2026-11-06T09:00:00Z',
  keySetUrl: 'https://carepost.example/integrations/0198f1aa.jwks',
  redirectUrl: 'https://carepost.example/integrations/callback',
  offered: ['patientLookup', 'visitLookup', 'reviewerLookup', 'documentUpload'],
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
  filedLastWeek: 318,
  version: 1,
};
const report = {
  isConnected: false,
  steps: [
    { step: 'Name', outcome: 'Passed', milliseconds: 3, detail: 'fhir.homestead.example' },
    { step: 'Tls', outcome: 'Passed', milliseconds: 41, detail: 'Encrypted' },
    { step: 'SignIn', outcome: 'Failed', milliseconds: 88, detail: connection.problem },
    { step: 'Read', outcome: 'NotReached', milliseconds: null, detail: '' },
  ],
  remedy: connection.remedy,
  field: 'newKey',
  offered: connection.offered,
  software: connection.software,
};

const kind = {
  integrationType: 'Fhir',
  name: 'EHR (FHIR R4)',
  description: 'Finds patients, visits and reviewers in an EHR with US Core, and files documents into its charts.',
  authentications: [],
  capabilities: connection.offered,
  isAllowed: true,
  redirectUrl: connection.redirectUrl,
  bodyTemplate: '',
  placeholders: [],
};
const kinds = [
  kind,
  { ...kind, integrationType: 'Hl7', name: 'EHR (HL7 v2)', description: 'Finds the patients that an EHR reports.', redirectUrl: '' },
  {
    ...kind,
    integrationType: 'WebService',
    name: 'Web service',
    description: 'Sends documents as JSON over https.',
    capabilities: ['documentSend'],
    redirectUrl: '',
    bodyTemplate: '{\n  "event": {{event}},\n  "title": {{document.title}}\n}',
    placeholders: ['event', 'document.id', 'document.title', 'patient.lastName'],
  },
];
const fine = { ...connection, state: 'Connected', failingSince: null, problem: '', remedy: '', nextTryAt: null, authentication: 'Open' };
const feed = { ...fine, integrationType: 'Hl7', name: 'Hospital feed', baseUrl: 'mllps://ehr.hospital.example:2575' };
const desk = {
  ...fine,
  integrationType: 'WebService',
  name: 'Referral desk',
  baseUrl: 'https://desk.example/in',
  hasSecret: true,
  offered: ['documentSend'],
  unused: [],
};
const osei = {
  kind: 'Person',
  externalId: 'r-1',
  externalName: 'Ama Osei',
  userName: '1234567893',
  users: [],
  suggestion: null,
  isGone: false,
};
const mappings = [
  osei,
  { ...osei, externalId: 'r-2', externalName: 'Dana Whitfield', suggestion: { id: connection.id, name: 'Dana Whitfield' } },
  { ...osei, externalId: 'r-3', externalName: 'Old Reviewer', isGone: true },
];

/** An organization that may connect other systems, with these connections. */
async function withConnections(page: Page, items: object[], allowed: object[] = [kind]) {
  await page.route('**/api/integrations', (route) => route.fulfill({ json: { items } }));
  await page.route('**/api/integrations/types', (route) => route.fulfill({ json: { items: allowed } }));
  await page.route('**/api/integrations/*/mappings', (route) => route.fulfill({ json: { items: mappings, isCut: false } }));
  await page.route('**/api/integrations/**/connectivity', (route) => route.fulfill({ json: report }));
  await page.route('**/api/integrations/connectivity', (route) => route.fulfill({ json: report }));
  await page.reload();
}

const integrations: Screen = {
  as: 'dana',
  path: () => '/account/settings/integrations',
  ready: heading('Integrations'),
  views: [
    {
      name: 'a connection that fails, with its test',
      at: ['wide', 'narrow'],
      fresh: true,
      show: async (page) => {
        await withConnections(page, [connection]);
        await button(page, 'Test again').click();
        await expect(page.getByRole('list', { name: 'Steps of the test' })).toBeVisible();
      },
      after: unroute,
    },
    {
      name: 'a new connection with what is wrong',
      opens: ['EditorDialog'],
      fresh: true,
      show: async (page) => {
        await withConnections(page, []);
        await button(page, 'Add connection').click();
        const opened = dialog(page, 'New connection');
        await opened.getByRole('button', { name: 'Test and save' }).click();
        await expect(opened.locator('[aria-invalid="true"]').first()).toBeVisible();
        return opened;
      },
      after: unroute,
    },
    {
      name: 'the kinds of systems',
      opens: ['KindDialog'],
      fresh: true,
      show: async (page) => {
        await withConnections(page, [], kinds);
        await button(page, 'Add connection').click();
        return dialog(page, 'Add connection');
      },
      after: unroute,
    },
    {
      name: 'an EHR with HL7 v2',
      fresh: true,
      show: async (page) => {
        await withConnections(page, [feed], kinds);
        await rowsOf('Connections')(page).getByRole('button').first().click();
        return dialog(page, 'Hospital feed');
      },
      after: unroute,
    },
    {
      name: 'a web service with its template',
      fresh: true,
      show: async (page) => {
        await withConnections(page, [desk], kinds);
        await rowsOf('Connections')(page).getByRole('button').first().click();
        const opened = dialog(page, 'Referral desk');
        await expect(opened.getByText('A token is stored.')).toBeVisible();
        return opened;
      },
      after: unroute,
    },
    {
      name: 'the people of an EHR',
      opens: ['MappingsDialog'],
      fresh: true,
      // On a phone, the row has no menu.
      at: ['wide'],
      show: async (page) => {
        await withConnections(page, [{ ...fine, unused: [] }]);
        await fromRowMenu(page, 'People');
        const opened = dialog(page, 'People of Homestead Chart');
        await expect(opened.getByText('No longer in the EHR')).toBeVisible();
        return opened;
      },
      after: unroute,
    },
    {
      name: 'saved without connection',
      opens: ['SaveAnyway'],
      fresh: true,
      show: async (page) => {
        await withConnections(page, [connection]);
        await rowsOf('Connections')(page).getByRole('button').first().click();
        const opened = dialog(page, 'Homestead Chart');
        await opened.getByRole('textbox', { name: 'Client ID' }).fill('carepost');
        await opened.getByRole('button', { name: 'Test and save' }).click();
        return dialog(page, 'Save without connection?');
      },
      after: unroute,
    },
    {
      name: 'not loaded',
      fresh: true,
      show: async (page) => {
        await failing(page, '**/api/integrations');
        await page.reload();
        await expect(page.getByRole('heading', { name: 'The connections could not be loaded' })).toBeVisible();
      },
      after: unroute,
    },
  ],
};

const support: Screen = {
  as: 'priya',
  path: () => '/account/support',
  ready: heading('Support'),
  views: [
    {
      name: 'a new ticket with what is wrong',
      show: async (page) => {
        await button(page, 'New ticket').click();
        const opened = dialog(page, 'New support ticket');
        await opened.getByRole('button', { name: 'Send' }).click();
        await expect(opened.locator('[aria-invalid="true"]').first()).toBeVisible();
        return opened;
      },
    },
  ],
};

const tickets: Screen = {
  as: 'ops',
  path: () => '/admin/supporttickets',
  ready: heading('Support tickets'),
  views: [
    {
      name: 'not loaded',
      show: async (page) => {
        await failing(page, '**/api/admin/supporttickets?*');
        await page.reload();
        await expect(page.getByRole('heading', { name: 'The support tickets could not be loaded' })).toBeVisible();
      },
      after: unroute,
    },
  ],
};

/** Integrations, webhooks and support. */
export const hooks = area({
  '/account/settings/integrations': integrations,
  '/account/settings/webhooks/': webhooks,
  '/account/settings/webhooks/$id': deliveries,
  '/account/support': support,
  '/admin/supporttickets': tickets,
});
