import type { Page } from '@playwright/test';
import { expect } from '../support';
import { answer, button, dialog, unroute, type View } from './kit';

const EHR = {
  integrationId: '0198f1aa-7a10-7000-8000-000000000041',
  integrationType: 'Fhir',
  name: 'Maple Street EHR',
  capabilities: [
    'patientLookup',
    'patientDetailsLookup',
    'patientCreate',
    'visitLookup',
    'orderLookup',
    'reviewerLookup',
    'reviewerGroupLookup',
    'documentUpload',
  ],
  state: 'Connected',
  needsLogin: false,
  requiresFacility: false,
  requiresDocumentType: false,
};
const person = {
  id: 'p1',
  medicalRecordNumber: 'MS-40718',
  firstName: 'Marisol',
  middleName: 'J',
  lastName: 'Tenney',
  formerNames: ['Rivera'],
  birthDate: '1961-03-14',
  gender: 'F',
  streetAddress1: '12 Elm St',
  streetAddress2: '',
  city: 'Larkfield',
  state: 'OH',
  postalCode: '43055',
  telephone: '',
  isActive: true,
  isDeceased: false,
  admitDate: '2026-09-22',
  dischargeDate: '2026-09-23',
};
const found = [
  person,
  { ...person, id: 'p2', firstName: 'Maria', birthDate: '1968-05-02', medicalRecordNumber: 'MS-11873', isActive: false, isDeceased: true },
];
const orders = [
  { id: 'o1', date: '2026-09-22', description: 'Echocardiogram', status: 'active', isRevoked: false },
  { id: 'o2', date: '2026-09-22', description: 'Lipid panel', status: 'revoked', isRevoked: true },
];
const visit = {
  id: 'v1',
  date: '2026-09-22',
  time: null,
  provider: 'Dr. Okafor',
  description: 'Follow-up: palpitations',
  status: 'finished',
  isCancelled: false,
  orders,
};
const items = (...all: object[]) => ({ items: all });

/** An EHR with a patient, as the server would show it. */
async function withChart(page: Page, ehr: Partial<typeof EHR> = {}) {
  const given: Record<string, object> = {
    'connected/types': items({ ...EHR, ...ehr }),
    patients: { ...items(...found), isCut: true, milliseconds: 212, integrationId: EHR.integrationId, integrationName: EHR.name },
    visits: items(visit, { ...visit, id: 'v2', isCancelled: true }),
    orders: items(...orders),
    reviewers: items({ externalId: 'r1', firstName: 'Ada', lastName: 'Okafor', username: 'aokafor' }),
    'reviewergroups?*': items({ id: 'Group/g1', groupName: 'Cardiology pool' }),
  };
  for (const [path, json] of Object.entries(given)) await page.route(`**/api/integrations/${path}`, (route) => route.fulfill({ json }));
  await page.route('**/api/integrations/patients/add', (route) =>
    route.fulfill({
      status: 422,
      json: { modelState: { acceptsDuplicates: ['The EHR has a patient with this last name and birth date.'] } },
    }),
  );
  await page.reload();
}
/** A message whose patient was looked up there. */
const withChartPatient = (page: Page, id: string) =>
  answer(page, `**/api/messages/${id}`, (m) => ({
    ...m,
    patient: {
      firstName: person.firstName,
      lastName: person.lastName,
      birthDate: person.birthDate,
      gender: person.gender,
      integrationMeta: { integrationId: EHR.integrationId, patientId: person.id, visitId: visit.id, medicalRecordNumber: 'MS-40718' },
    },
  }));

async function findPatient(page: Page) {
  await button(page, 'Find in chart').click();
  const box = dialog(page, 'Find patient in Maple Street EHR');
  await box.getByLabel('Name', { exact: true }).fill('Tenney');
  await expect(box.getByRole('row', { name: /Marisol/ })).toBeVisible();
  return box;
}
export const chartViews: View[] = [
  {
    name: 'patients of the chart',
    opens: ['PatientLookupDialog'],
    fresh: true,
    show: async (page) => {
      await withChart(page);
      return findPatient(page);
    },
    after: unroute,
  },
  {
    name: 'patients of the chart by details',
    at: ['narrow', 'wide'],
    fresh: true,
    show: async (page) => {
      await withChart(page);
      const box = await findPatient(page);
      await box.getByRole('button', { name: 'Detailed search' }).click();
      await box.getByRole('row', { name: /Marisol/ }).click();
      await expect(box.getByRole('button', { name: 'Select Tenney, Marisol J' })).toBeEnabled();
      return box;
    },
    after: unroute,
  },
  {
    name: 'a patient to add, with alike ones',
    opens: ['AlikeDialog'],
    fresh: true,
    show: async (page) => {
      await withChart(page);
      const box = await findPatient(page);
      await box.getByRole('button', { name: 'Add Patient' }).click();
      const question = dialog(page, 'Add Patient');
      await expect(question.getByText(/MS-40718/)).toBeVisible();
      return question;
    },
    after: async (page) => {
      await page.keyboard.press('Escape');
      await unroute(page);
    },
  },
  {
    name: 'sign-in at the EHR',
    opens: ['LoginDialog'],
    fresh: true,
    show: async (page) => {
      await withChart(page, { needsLogin: true });
      await button(page, 'Find in chart').click();
      return dialog(page, 'Maple Street EHR Login');
    },
    after: unroute,
  },
];
export const chartDraftViews: View[] = [
  {
    name: 'visits of the chart',
    opens: ['VisitLookupDialog'],
    fresh: true,
    show: async (page, data) => {
      await withChartPatient(page, data.draft);
      await withChart(page);
      await button(page, 'Find visit').click();
      const box = dialog(page, 'Visits in Maple Street EHR');
      await expect(box.getByText('Cancelled', { exact: true })).toBeVisible();
      return box;
    },
    after: unroute,
  },
  {
    name: 'orders of the chart',
    opens: ['OrderLookupDialog'],
    fresh: true,
    show: async (page, data) => {
      await withChartPatient(page, data.draft);
      await withChart(page);
      await button(page, /^Edit /)
        .first()
        .click();
      await button(page, 'Find orders').click();
      const box = dialog(page, 'Orders in Maple Street EHR');
      await expect(box.getByText('Revoked', { exact: true })).toBeVisible();
      return box;
    },
    after: async (page) => {
      await page.keyboard.press('Escape');
      await unroute(page);
    },
  },
];
