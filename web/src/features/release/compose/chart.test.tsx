import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import type { Attachment, Message } from '@/api/types';
import { answer } from '@/test/answers';
import { connected, connection, looked, patientsFound, tenney } from '@/test/charts';
import { attachment } from '@/test/fixtures';
import { click, field, form, openRelease, ready, releaseServer } from '@/test/release';

const inChart = looked({ visitId: 'v1', visitDate: '2026-09-22', integrationMeta: { ...looked().integrationMeta, visitId: 'v1' } });
const withOrders = () => attachment({ attachmentMeta: { ...attachment().attachmentMeta, integrationMeta: { orderIds: ['o1'] } } });

const open = async (over: Partial<Message> = {}, ehr: Parameters<typeof connected>[0] = {}) => {
  const server = releaseServer({ messages: [ready(over)] });
  connected(ehr);
  const changed = answer('put', '/api/messages/{id}/attachments/{attachmentId}', ({ body }) => ({ ...withOrders(), ...body }) as never);
  openRelease('/release/draft/m1');
  await form();
  return { ...server, changed };
};
const panel = () => screen.getByRole('region', { name: 'Patient' });
const dialog = (name: string) => screen.findByRole('dialog', { name });
const orderIdsOf = (asked: { body: { attachmentMeta?: Attachment['attachmentMeta'] } }[]) =>
  asked.map(({ body }) => body.attachmentMeta?.integrationMeta?.orderIds);

test('a patient found in the chart cannot be typed over until cleared, and is sent with the link (MSG-R-206, MSG-R-210, MSG-S-034)', async () => {
  const { saved } = await open({ patient: { lastName: 'Tenney', birthDate: '1961-03-14', patientIds: [] } });
  answer('post', '/api/integrations/patients', patientsFound([tenney()]));
  answer('get', '/api/integrations/patients/{id}', { patient: looked(), isActive: true, isDeceased: false });
  await userEvent.click(await screen.findByRole('button', { name: 'Find in chart' }));
  await userEvent.click(await within(await dialog('Find patient in Maple Street EHR')).findByRole('row', { name: /Marisol/ }));
  await click('Select Tenney, Marisol J');
  await waitFor(() => expect(field('First name')).toHaveValue('Marisol'));
  expect(panel()).toHaveTextContent('From Maple Street EHR · MRN MS-40718');
  for (const name of ['First name', 'Last name', 'Birth date', 'Telephone']) expect(field(name)).toBeDisabled();
  expect(screen.queryByLabelText('Find a known patient')).toBeNull();
  await click('Save');
  await waitFor(() => expect(saved.at(-1)?.body.patient?.integrationMeta).toEqual(looked().integrationMeta));
  await click('Clear patient');
  expect(field('First name')).toBeEnabled();
});

test('what the chart lacks is typed, and a refused telephone left out; the link stays (MSG-R-206)', async () => {
  const { saved } = await open({ patient: { lastName: 'Tenney', birthDate: '1961-03-14', patientIds: [] } });
  answer('post', '/api/integrations/patients', patientsFound([tenney()]));
  const lacking = looked({ birthDate: null, telephone: '12' });
  answer('get', '/api/integrations/patients/{id}', { patient: lacking, isActive: true, isDeceased: false });
  await userEvent.click(await screen.findByRole('button', { name: 'Find in chart' }));
  await userEvent.dblClick(await within(await dialog('Find patient in Maple Street EHR')).findByRole('row', { name: /Marisol/ }));
  await waitFor(() => expect(field('First name')).toHaveValue('Marisol'));
  expect(field('Last name')).toBeDisabled();
  expect(field('Telephone')).toHaveValue('');
  await userEvent.type(field('Birth date'), '03/14/1961');
  await userEvent.tab();
  expect(field('Birth date')).toBeEnabled();
  await click('Save');
  await waitFor(() =>
    expect(saved.at(-1)?.body.patient).toMatchObject({ birthDate: '1961-03-14', integrationMeta: looked().integrationMeta }),
  );
});

test('clearing the patient empties its data, its visit and the orders of documents; an undo brings them back (MSG-R-207, MSG-R-208, MSG-R-209)', async () => {
  const { changed } = await open({ patient: inChart, attachments: [withOrders()] });
  await screen.findByRole('button', { name: 'Find visit' });
  await click('Clear patient');
  await userEvent.click(screen.getByRole('button', { name: 'Middle name, address and visit' }));
  for (const name of ['Last name', 'Visit date', 'Visit ID']) expect(field(name)).toHaveValue('');
  await waitFor(() => expect(orderIdsOf(changed)).toEqual([[]]));
  await userEvent.click(await screen.findByRole('button', { name: /^Undo/ }));
  await waitFor(() => expect(field('Last name')).toHaveValue('Tenney'));
  await waitFor(() => expect(orderIdsOf(changed)).toEqual([[], ['o1']]));
});

test('orders that leave with the patient are not saved or brought back late (MSG-R-208)', async () => {
  const { saved } = await open({ patient: inChart, attachments: [withOrders()] });
  let late = () => {};
  const waits = new Promise<void>((done) => (late = done));
  const changed = answer('put', '/api/messages/{id}/attachments/{attachmentId}', async ({ body }) => {
    await waits;
    return { ...withOrders(), ...body } as never;
  });
  await screen.findByRole('button', { name: 'Find visit' });
  // While the first change is under way, the patient comes back and is cleared again.
  await click('Clear patient');
  await userEvent.click(await screen.findByRole('button', { name: /^Undo/ }));
  await waitFor(() => expect(field('Last name')).toHaveValue('Tenney'));
  await click('Clear patient');
  await click('Save');
  expect(saved).toHaveLength(0);
  late();
  await waitFor(() => expect(saved).toHaveLength(1));
  expect(saved[0]!.body.attachments?.map((a) => a.attachmentMeta?.integrationMeta?.orderIds)).toEqual([[]]);
  expect(orderIdsOf(changed).at(-1)).toEqual([]);
});

test('a visit is taken from the chart, and cleared with its orders (MSG-R-109, MSG-R-211)', async () => {
  const { changed } = await open({ patient: inChart, attachments: [withOrders()] });
  const visit = { id: 'v2', date: '2026-11-24', provider: 'Dr. Okafor', description: '', status: '', isCancelled: false, orders: [] };
  answer('post', '/api/integrations/visits', { items: [visit] });
  await userEvent.click(await screen.findByRole('button', { name: 'Find visit' }));
  await userEvent.click(await within(await dialog('Visits in Maple Street EHR')).findByRole('row', { name: /Okafor/ }));
  await click('Select');
  await waitFor(() => expect(field('Visit date')).toHaveValue('11/24/2026'));
  expect(field('Visit ID')).toBeDisabled();
  await waitFor(() => expect(orderIdsOf(changed)).toEqual([[]]));
  await click('Clear visit');
  expect(field('Visit ID')).toHaveValue('');
  expect(field('Visit ID')).toBeEnabled();
  expect(field('Last name')).toBeDisabled();
});

test('a document gets orders of the visit (MSG-R-103)', async () => {
  const { changed } = await open({ patient: inChart, attachments: [attachment()] });
  answer('post', '/api/integrations/orders', { items: [{ id: 'o1', description: 'Echocardiogram', status: 'active', isRevoked: false }] });
  await userEvent.click(await screen.findByRole('button', { name: `Edit ${attachment().fileName}` }));
  await userEvent.click(await screen.findByRole('button', { name: 'Find orders' }));
  await userEvent.click(await within(await dialog('Orders in Maple Street EHR')).findByRole('row', { name: /Echocardiogram/ }));
  await click('Select');
  const edit = await dialog('Edit attachment');
  expect(edit).toHaveTextContent('1 order');
  await userEvent.click(within(edit).getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(orderIdsOf(changed)).toEqual([['o1']]));
});

test('the document types of the EHR are offered first (MSG-R-067, MSG-S-019)', async () => {
  await open({}, { capabilities: [...connection().capabilities, 'documentTypeLookup'] });
  answer('get', '/api/documenttypes', { items: [{ id: '1', name: 'Referral' }], totalCount: 1 } as never);
  const read = answer('get', '/api/integrations/documenttypes', {
    items: [{ id: '11488-4', name: 'Consult note', source: 'Maple Street EHR' }],
  });
  await click('Attach and describe…');
  const box = await dialog('Attach a new file');
  const types = within(box).getByRole('combobox', { name: 'Document type' });
  await waitFor(() => expect(read).toHaveLength(1));
  await userEvent.click(types);
  await waitFor(() => expect(screen.getAllByRole('option').map((o) => o.textContent)).toEqual(['Consult note', 'Referral']));
});
