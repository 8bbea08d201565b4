import type { Page } from '@playwright/test';
import { expect } from '../support';
import { area, button, dialog, heading, menu, unroute } from './kit';

const ID = '0198f1aa-7a10-7000-8000-0000000000a1';
const OTHER = '0198f1aa-7a10-7000-8000-0000000000a2';
const at = '2026-11-20T12:00:00Z';
const marisol = {
  patientId: 'LFM-11873',
  firstName: 'Marisol',
  lastName: 'Tenney',
  birthDate: '1961-03-14',
  gender: 'F',
  telephone: '5550100142',
  streetAddress1: '27 Orchard Row',
  city: 'Larkfield',
  state: 'OH',
  postalCode: '43999',
  patientIds: [],
};
const known = { id: ID, patient: marisol, messageCount: 4, lastDate: at, contradictions: [] };
const other = { ...known, id: OTHER, patient: { ...marisol, firstName: 'Marisa', patientId: null }, messageCount: 1 };
const pair = {
  one: known,
  other,
  percent: 71,
  fields: [
    { field: 'lastName', agreement: 'Agrees' },
    { field: 'firstName', agreement: 'Similar' },
    { field: 'birthDate', agreement: 'Differs' },
  ],
};
const view = {
  ...known,
  identifiers: [
    { root: '', id: 'LFM-11873' },
    { root: '2.16.840.1.113883.19', id: 'SM-20417' },
  ],
  otherNames: ['Reyes, Marisol'],
  others: [{ field: 'birthDate', text: '1961-03-15' }],
  provenance: [
    { field: 'birthDate', kind: 'Received', at, messageId: ID, person: null },
    { field: 'telephone', kind: 'Correction', at, messageId: null, person: 'Dana Whitfield' },
  ],
  contradictions: ['birthDate'],
  duplicates: [other],
  version: 3,
};
const event = {
  id: OTHER,
  kind: 'Merged',
  at,
  by: { id: ID, name: 'Dana Whitfield' },
  other: { id: OTHER, name: 'Tenney, Marisa' },
  undoneAt: null,
  canUndo: true,
};
const message = {
  id: ID,
  direction: 'Intake',
  status: 'Processed',
  subject: 'Knee pain',
  documentType: 'Progress note',
  party: 'Summit Orthopedics',
  date: at,
  isConfirmed: true,
};

const fulfil = (page: Page, path: string, json: unknown) => page.route(path, (route) => route.fulfill({ json }));
async function withPatient(page: Page) {
  await fulfil(page, `**/api/patients/${ID}`, view);
  await fulfil(page, `**/api/patients/${ID}/history`, { items: [event] });
  await fulfil(page, `**/api/patients/${ID}/messages*`, { items: [message], totalCount: 1, totalIsCapped: false });
  await page.goto(`/patients/${ID}`);
  await expect(page.getByRole('heading', { level: 1, name: 'Tenney, Marisol' })).toBeVisible();
}

export const patients = area({
  '/patients/': {
    as: 'dana',
    path: () => '/patients',
    ready: heading('Patients'),
    views: [
      {
        name: 'possible duplicates',
        fresh: true,
        show: async (page) => {
          await fulfil(page, '**/api/patients/duplicates*', { items: [pair], totalCount: 1, totalIsCapped: false });
          await page.reload();
          await expect(page.getByRole('listitem', { name: 'Tenney, Marisol and Tenney, Marisa' })).toBeVisible();
        },
        after: unroute,
      },
    ],
  },
  '/patients/$id': {
    as: 'dana',
    path: (data) => `/patients/${data.patient}`,
    ready: heading(/^Ashby/),
    views: [
      {
        name: 'what is known, with a correction',
        opens: ['CorrectDialog'],
        fresh: true,
        show: async (page) => {
          await withPatient(page);
          await button(page, 'Correct').click();
          return dialog(page, 'Correct the patient');
        },
        after: unroute,
      },
      {
        name: 'disclosures',
        opens: ['Disclosures'],
        fresh: true,
        show: async (page) => {
          await withPatient(page);
          await button(page, 'Disclosures').click();
          return menu(page);
        },
        after: unroute,
      },
    ],
  },
});
