import type { Page } from '@playwright/test';
import type { Data } from '../data';
import { expect } from '../support';
import { answer, button, dialog, menu, tab, unroute, type View, wide } from './kit';

/** Filing a received message into the chart of a connected EHR, which answers what is written here. */

const EHR = '0198f1aa-7a10-7000-8000-0000000000c1';
const connected = {
  integrationId: EHR,
  integrationType: 'Fhir',
  name: 'Maple Street EHR',
  capabilities: [
    'patientLookup',
    'patientDetailsLookup',
    'visitLookup',
    'orderLookup',
    'reviewerLookup',
    'reviewerGroupLookup',
    'documentTypeLookup',
    'documentUpload',
    'patientCreate',
  ],
  state: 'Connected',
  failingSince: null,
  nextTryAt: null,
  needsLogin: false,
  requiresFacility: false,
  requiresDocumentType: false,
  chartUrl: '',
};
const marisol = { firstName: 'Marisol', lastName: 'Tenney', birthDate: '1961-03-14', gender: 'F' };
const chosen = {
  ...marisol,
  patientId: 'MS-40718',
  patientIds: [],
  integrationMeta: { integrationId: EHR, patientId: 'p-1', medicalRecordNumber: 'MS-40718', visitId: null, facilityId: null },
};
const found = (id: string, over: object = {}) => ({
  id,
  medicalRecordNumber: 'MS-40718',
  ...marisol,
  middleName: '',
  formerNames: [],
  streetAddress1: '14 Alder Street',
  streetAddress2: '',
  city: 'Larkfield',
  state: 'OH',
  postalCode: '43999',
  telephone: '',
  isActive: true,
  isDeceased: false,
  ...over,
});
const order = { id: 'o-1', date: '2026-11-18', description: 'Echocardiogram', status: 'active', isRevoked: false };
const visit = {
  id: 'v-1',
  date: '2026-01-15',
  time: null,
  endDate: null,
  provider: 'Dr. Okafor',
  description: 'Follow-up',
  status: 'arrived',
  isCancelled: false,
  orders: [order],
};
const filing = (id: string, state: string, over: object = {}) => ({
  id,
  attachmentId: id,
  fileName: 'Echocardiogram.pdf',
  integrationId: EHR,
  integrationName: connected.name,
  integrationType: 'Fhir',
  state,
  patientName: 'Tenney, Marisol',
  chartDocumentId: '8842',
  chartUrl: 'https://ehr.example/p-1',
  filedAt: '2026-11-24T15:32:00Z',
  filedBy: 'Dana Whitfield',
  problem: '',
  createdAt: '2026-11-24T15:32:00Z',
  ...over,
});
const filings = [
  filing('0198f1aa-7a10-7000-8000-0000000000c2', 'Filed'),
  filing('0198f1aa-7a10-7000-8000-0000000000c3', 'Failed', {
    chartDocumentId: null,
    problem: 'The patient is no longer active in the chart.',
  }),
];
const matched = (agreement: string, birthDate: string) => ({
  patient: found(`p-${birthDate}`, { birthDate }),
  certainty: agreement === 'Agrees' ? 'Certain' : 'Possible',
  percent: agreement === 'Agrees' ? 99 : 61,
  fields: [
    { field: 'lastName', agreement: 'Agrees' },
    { field: 'birthDate', agreement },
  ],
  differences: agreement === 'Agrees' ? [] : ['birthDate'],
});
// Nothing is proposed for the document, and so nothing is saved.
const whole = { documentType: 'Progress note', documentDate: '2026-01-15', documentDateType: 'selected', confidentiality: 'Normal' };

/** The message with this patient, open beside a connected EHR. */
async function withChart(page: Page, data: Data, patient: object, over: object = {}, services: object[] = []) {
  const items = (path: string, list: object[]) => page.route(path, (route) => route.fulfill({ json: { items: list } }));
  await page.route('**/patient/extract', (route) => route.fulfill({ json: { status: 'Completed', patient: null, marks: [], page: null } }));
  await answer(page, `**/api/messages/${data.pdf}`, (m) => ({
    ...m,
    isProcessed: false,
    status: 'Received',
    patient,
    attachments: (m.attachments as object[]).map((a) => ({ ...a, attachmentMeta: whole })),
  }));
  await items('**/api/integrations/connected/types', [{ ...connected, ...over }, ...services]);
  await items(`**/api/messages/${data.pdf}/chart`, filings);
  await items('**/api/integrations/visits', [visit]);
  await items('**/api/integrations/orders', [order]);
  await items('**/api/integrations/reviewers', [{ externalId: 'r-1', firstName: 'Adaeze', lastName: 'Okafor', username: 'aokafor' }]);
  await items('**/api/integrations/reviewergroups?*', [{ id: 'Group/g-1', groupName: 'Cardiology pool' }]);
  await items('**/api/integrations/documenttypes?*', [{ id: 'http://loinc.org|11506-3', name: 'Progress note', source: connected.name }]);
  const answered = { isCut: false, milliseconds: 180, integrationId: EHR, integrationName: connected.name };
  await page.route('**/api/integrations/patients', (route) =>
    route.fulfill({ json: { ...answered, items: [found('p-1'), found('p-2', { birthDate: '1968-03-14' })] } }),
  );
  await page.route(`**/api/messages/${data.pdf}/chart/matches?*`, (route) =>
    route.fulfill({ json: { ...answered, proposed: null, items: [matched('Agrees', '1961-03-14'), matched('Differs', '1968-03-14')] } }),
  );
  await page.reload();
  if (await tab(page, /^Patient/).isVisible()) await tab(page, /^Patient/).click();
  await expect(page.getByRole('heading', { name: `Chart: ${connected.name}` })).toBeVisible();
}

const opening = (opens: string, patient: object, press: string | RegExp, title: string): View => ({
  name: title.toLowerCase(),
  opens: [opens],
  at: ['wide', 'narrow'],
  fresh: true,
  show: async (page, data) => {
    await withChart(page, data, patient, opens === 'LoginDialog' ? { needsLogin: true } : {});
    await button(page, press).click();
    return dialog(page, title);
  },
  after: unroute,
});

export const chartViews: View[] = [
  {
    name: 'a patient of the chart, a visit, and what was filed',
    at: ['wide', 'narrow'],
    fresh: true,
    show: async (page, data) => {
      await withChart(page, data, chosen);
      await expect(page.getByRole('radiogroup', { name: 'Visit' })).toBeVisible();
      await expect(page.getByRole('list', { name: 'Filed to the chart' })).toBeVisible();
    },
    after: unroute,
  },
  {
    name: 'several patients of the chart',
    at: ['wide', 'narrow'],
    fresh: true,
    show: async (page, data) => {
      await withChart(page, data, { ...marisol, patientIds: [] });
      await expect(page.getByText('Birth date is not the same.')).toBeVisible();
    },
    after: unroute,
  },
  {
    name: 'where else documents are sent',
    opens: ['SendButton'],
    at: wide,
    fresh: true,
    show: async (page, data) => {
      const service = { ...connected, integrationType: 'WebService', capabilities: ['documentSend'] };
      const services = ['Referral desk', 'Archive'].map((name, at) => ({
        ...service,
        name,
        integrationId: `0198f1aa-7a10-7000-8000-0000000000d${at}`,
      }));
      await withChart(page, data, chosen, {}, services);
      await button(page, 'Send to…').click();
      return menu(page);
    },
    after: unroute,
  },
  opening('PatientLookupDialog', marisol, /^Find in chart/, `Find patient in ${connected.name}`),
  opening('VisitLookupDialog', chosen, 'The only visit', `Visits in ${connected.name}`),
  opening('OrderLookupDialog', chosen, 'Orders', `Orders in ${connected.name}`),
  opening('ReviewerLookupDialog', chosen, 'Reviewer', `Reviewer in ${connected.name}`),
  opening('LoginDialog', marisol, 'Sign in', `${connected.name} Login`),
  {
    name: 'a new patient of the chart who is like another one',
    opens: ['AlikeDialog'],
    at: wide,
    fresh: true,
    show: async (page, data) => {
      await withChart(page, data, marisol);
      const words = 'There are patients with this name and birth date.';
      await page.route('**/api/integrations/patients/add', (route) =>
        route.fulfill({ status: 409, json: { status: 409, message: words, modelState: { acceptsDuplicates: [words] } } }),
      );
      await button(page, /^Find in chart/).click();
      await dialog(page, `Find patient in ${connected.name}`).getByRole('button', { name: 'Add Patient' }).click();
      return dialog(page, 'Add Patient');
    },
    after: unroute,
  },
];
