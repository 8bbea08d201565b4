import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type {
  Attachment,
  ChartChoices,
  ChartConnection,
  ChartFiling,
  ChartMatch,
  ChartPatient,
  ChartView,
  Message,
  Patient,
} from '@/api/types';
import { messageQuery } from '@/domain/messaging/api';
import { answer, refusal } from '@/test/answers';
import { connection, tenney } from '@/test/charts';
import { attachment, message } from '@/test/fixtures';
import { person } from '@/test/intake';
import { renderScreen } from '@/test/render';
import { MessageView } from '../MessageView';

vi.mock('@/app/session', () => ({ useProfile: () => person(), useFeature: () => false, useHasRole: () => false }));
vi.mock('@/domain/messaging/presence', () => ({ usePresence: () => [], Presence: () => null }));
vi.mock('@/domain/messaging/viewer/Viewer', () => ({ Viewer: () => null, isHeld: () => false }));
vi.mock('@/shared/clock', () => ({ now: () => new Date('2026-11-24T15:00:00') }));

const settings = { exportMode: 'save_as', exportOption: 'standard', gaps: 'confirm', nonPatientExport: true };
const MARISOL = { firstName: 'Marisol', lastName: 'Tenney', birthDate: '1961-03-14', gender: 'F' };
const EHR = connection({
  capabilities: [
    'patientLookup',
    'patientDetailsLookup',
    'visitLookup',
    'orderLookup',
    'reviewerLookup',
    'reviewerGroupLookup',
    'documentTypeLookup',
    'documentUpload',
  ],
});
const IN_CHART = { integrationId: 'ehr', patientId: 'p-1', medicalRecordNumber: 'MS-40718' };
const CHOSEN: Patient = { ...MARISOL, patientId: 'MS-40718', integrationMeta: IN_CHART };
const TYPED: Attachment['attachmentMeta'] = { documentType: 'Consultation', documentDate: '2026-11-18', documentDateType: 'selected' };
const VISITS = [
  { id: 'v-3', date: '2026-11-24', description: 'Follow-up', provider: 'Dr. Okafor', status: 'arrived', isCancelled: false, orders: [] },
  { id: 'v-2', date: '2026-11-18', description: 'Echo', provider: 'Dr. Lin', status: 'finished', isCancelled: false, orders: [] },
];

const match = (over: Partial<ChartMatch> = {}, patient: Partial<ChartPatient> = {}): ChartMatch => ({
  patient: tenney({ id: 'p-1', middleName: '', ...patient }),
  certainty: 'Certain',
  percent: 99,
  fields: [
    { field: 'lastName', agreement: 'Agrees' },
    { field: 'birthDate', agreement: 'Agrees' },
  ],
  differences: [],
  ...over,
});
const filing = (over: Partial<ChartFiling> = {}): ChartFiling => ({
  id: 'f-1',
  attachmentId: 'a1',
  fileName: 'Visit note.pdf',
  integrationId: 'ehr',
  integrationName: EHR.name,
  integrationType: 'Fhir',
  state: 'Filed',
  patientName: 'Tenney, Marisol',
  chartDocumentId: '8842',
  filedAt: '2026-11-24T10:32:00Z',
  filedBy: 'Dana Whitfield',
  problem: '',
  createdAt: '2026-11-24T10:32:00Z',
  ...over,
});

function Page() {
  const { data } = useQuery(messageQuery('m1'));
  const { history } = useRouter();
  const next = () => history.push('/intake/next');
  return data ? <MessageView message={data} settings={settings as never} place={null} onDone={next} onBack={() => {}} /> : null;
}

/** A server with the message and its chart, and the screen on which it is open. */
type Ehr = Partial<ChartConnection> | 'fails' | null;
async function open(
  over: Partial<Message> = {},
  {
    ehr = {} as Ehr,
    services = [] as string[],
    filings = [] as ChartFiling[],
    refusal: left = undefined as ChartView['refusal'],
    waits = Promise.resolve(),
  } = {},
) {
  const file = attachment({ attachmentMeta: TYPED });
  let kept: Message = message({
    direction: 'Intake',
    isDraft: false,
    status: 'Received',
    subject: 'Results',
    patient: CHOSEN,
    attachments: [file],
    ...over,
  });
  const change = (part: Partial<Message>) => {
    kept = { ...kept, ...part };
    return kept as never;
  };
  if (ehr === 'fails') refusal('get', '/api/integrations/connected/types', 404);
  const others = services.map((name) =>
    connection({ integrationId: name, integrationType: 'WebService', name, capabilities: ['documentSend'] }),
  );
  if (ehr !== 'fails')
    answer('get', '/api/integrations/connected/types', () =>
      waits.then(() => ({ items: [...others, ...(ehr ? [{ ...EHR, ...ehr }] : [])] })),
    );
  answer('get', '/api/messages/{id}', () => kept as never);
  const inChart: ChartView = { items: filings, refusal: left };
  answer('get', '/api/messages/{id}/chart', () => inChart);
  const patients = answer('put', '/api/messages/{id}/patient', ({ body: { version, ...patient } }) =>
    change({ patient: patient as Patient, patientVersion: version! + 1 }),
  );
  const metas = answer('put', '/api/messages/{id}/attachments/{attachmentId}', ({ body, path }) => {
    const { attachmentMeta, version } = body as { attachmentMeta: object; version: number };
    const fresh = {
      ...kept.attachments.find((a) => a.id === path.attachmentId)!,
      attachmentMeta: { ...attachmentMeta, version: version + 1 },
    };
    change({ attachments: kept.attachments.map((a) => (a.id === fresh.id ? fresh : a)) });
    return fresh as never;
  });
  const posted = answer('post', '/api/messages/{id}/chart', ({ body }) => {
    change({ isProcessed: true, status: 'Processed' });
    inChart.items = (body.attachmentIds ?? []).map((id, at) => filing({ id: `f-${at}`, attachmentId: id, state: 'Waiting' }));
    return inChart;
  });
  const undone = answer('post', '/api/messages/{id}/chart/{filingId}/undo', () => {
    change({ isProcessed: false, status: 'Received' });
    return inChart;
  });
  const router = renderScreen(<Page />, '/intake/m1');
  await screen.findByText('Results', { selector: 'h1' });
  if (ehr && ehr !== 'fails') await screen.findByRole('region', { name: `Chart: ${EHR.name}` });
  const isAt = (path: string) => waitFor(() => expect(router.state.location.pathname).toBe(path));
  const choices = () => metas.map((m) => (m.body as { attachmentMeta: { integrationMeta?: ChartChoices } }).attachmentMeta.integrationMeta);
  return { patients, metas, choices, posted, undone, isAt, inChart };
}
const press = (keys: string) => userEvent.keyboard(keys);
const click = async (name: string | RegExp) => userEvent.click(await screen.findByRole('button', { name }));
const field = (name: string) => screen.getByRole('textbox', { name });

beforeEach(() => {
  setToken({ accessToken: 'a', expiresIn: 900 });
  answer('get', '/api/messages/{id}/duplicates', { items: [] });
  answer('get', '/api/messages/{id}/proposals', {} as never);
  answer('get', '/api/messages/{id}/signers', { items: [], documents: '', files: [], consent: '', signedPdfs: [] });
  answer('get', '/api/users/current', { ...person(), userPreferences: {} } as never);
  answer('get', '/api/users/assignable', { items: [] } as never);
  answer('get', '/api/documenttypes', { items: [{ id: '1', name: 'Consultation' }], totalCount: 1 } as never);
  answer('post', '/api/patients/_match', { items: [] } as never);
  answer('put', '/api/messages/{id}/attachments/{attachmentId}/read', null as never);
  answer('post', '/api/integrations/visits', { items: [] });
  answer('post', '/api/integrations/orders', { items: [] });
  answer('get', '/api/integrations/documenttypes', { items: [] });
  answer('get', '/api/integrations/reviewergroups', { items: [{ id: 'Group/g', groupName: 'Cardiology pool' }] });
  answer('post', '/api/integrations/reviewers', { items: [] });
});

test('without an EHR that takes documents, the page is as it was', async () => {
  await open({}, { ehr: null });
  expect(screen.getByRole('button', { name: 'File and next' })).toHaveAttribute('aria-keyshortcuts', 'e');
  expect(screen.queryByText(/chart/i)).toBeNull();
});

test('the only certain patient of the chart is proposed with the reasons, taken over by Enter, read-only then, and undone by z (MSG-R-206)', async () => {
  answer('get', '/api/messages/{id}/chart/matches', {
    items: [match(), match({ certainty: 'Possible', percent: 40 }, { id: 'p-2', firstName: 'Mario' })],
    proposed: 'p-1',
    isCut: false,
    integrationId: 'ehr',
    integrationName: EHR.name,
    milliseconds: 180,
  });
  answer('get', '/api/integrations/patients/{id}', { patient: CHOSEN, isActive: true, isDeceased: false });
  const { patients } = await open({ patient: MARISOL });
  const found = within(await screen.findByRole('list', { name: 'Patients in the chart like Tenney, Marisol' }));
  expect(found.getByText('99%')).toBeInTheDocument();
  expect(found.getByRole('list', { name: 'What agrees with Tenney, Marisol' })).toHaveTextContent('birth date03/14/1961same');
  expect(screen.getByText('Connected, answered in 180 ms')).toBeInTheDocument();
  await press('{Enter}');
  await waitFor(() =>
    expect(patients.at(-1)?.body).toMatchObject({ lastName: 'Tenney', patientId: 'MS-40718', integrationMeta: IN_CHART }),
  );
  expect(field('Last name')).toBeDisabled();
  expect(screen.queryByLabelText('Find a known patient')).toBeNull();
  await press('z');
  await waitFor(() => expect(field('Last name')).toBeEnabled());
  await waitFor(() => expect(patients.at(-1)?.body.integrationMeta ?? null).toBeNull());
});

test('a patient of the chart who differs is never chosen by a key, and the difference is named', async () => {
  const fields = [
    { field: 'lastName', agreement: 'Agrees' },
    { field: 'birthDate', agreement: 'Differs' },
  ] as const;
  const other = match({ certainty: 'Possible', percent: 61, fields: [...fields], differences: ['birthDate'] }, { birthDate: '1968-03-14' });
  answer('get', '/api/messages/{id}/chart/matches', {
    items: [other],
    proposed: null,
    isCut: false,
    integrationId: 'ehr',
    integrationName: EHR.name,
    milliseconds: 9,
  });
  const { patients } = await open({ patient: MARISOL });
  expect(await screen.findByText('Birth date is not the same.')).toHaveClass('cp-diff');
  expect(screen.getByText(/One patient in the chart may be this one\./)).toBeInTheDocument();
  expect(screen.getByText('in this message: 03/14/1961')).toBeInTheDocument();
  await press('{Enter}');
  expect(patients).toEqual([]);
});

test('clearing the patient empties details, visit and orders, and the fields can be edited again (MSG-R-207, MSG-R-208, MSG-R-209, MSG-R-210)', async () => {
  const { patients, choices } = await open({
    patient: { ...CHOSEN, visitId: 'v-2', visitDate: '2026-11-18', integrationMeta: { ...IN_CHART, visitId: 'v-2' } },
    attachments: [attachment({ attachmentMeta: { ...TYPED, integrationMeta: { orderIds: ['o-1'], reviewerId: 'r-1' } } })],
  });
  expect(field('First name')).toBeDisabled();
  await click('Clear patient');
  await waitFor(() => expect(patients.map((p) => p.body)).toEqual([{ version: 0 }]));
  await waitFor(() => expect(choices().at(-1)).toMatchObject({ orderIds: [], reviewerId: 'r-1' }));
  expect(field('First name')).toBeEnabled();
  expect(field('First name')).toHaveValue('');
  expect(field('Visit date')).toHaveValue('');
});

test('the visit of the document’s date is proposed and saved by filing, or none by 2, which resets its orders (MSG-R-211)', async () => {
  answer('post', '/api/integrations/visits', { items: VISITS });
  const { patients, choices } = await open({
    patient: { ...CHOSEN, visitId: 'v-3', visitDate: '2026-11-24', integrationMeta: { ...IN_CHART, visitId: 'v-3' } },
    attachments: [attachment({ attachmentMeta: { ...TYPED, integrationMeta: { orderIds: ['o-1'] } } })],
  });
  const visits = within(await screen.findByRole('radiogroup', { name: 'Visit' }));
  expect(await visits.findByText('On the date of the document')).toBeInTheDocument();
  expect(visits.getByRole('radio', { name: 'Follow-up, 11/24/2026, Dr. Okafor' })).toBeChecked();
  await press('2');
  await waitFor(() => expect(patients.at(-1)?.body.integrationMeta).toMatchObject({ patientId: 'p-1', visitId: null }));
  expect(patients.at(-1)!.body.visitDate ?? '').toBe('');
  await waitFor(() => expect(choices().at(-1)).toMatchObject({ orderIds: [] }));
  expect(visits.getByRole('radio', { name: 'No visit' })).toBeChecked();
  await press('1');
  await waitFor(() => expect(patients.at(-1)?.body).toMatchObject({ visitId: 'v-2', visitDate: '2026-11-18' }));
  expect(patients.at(-1)!.body.integrationMeta).toMatchObject({ patientId: 'p-1', visitId: 'v-2' });
});

test('one key files the chosen documents with the proposed visit and type, opens the next, and z takes all of them back', async () => {
  answer('post', '/api/integrations/visits', { items: VISITS });
  answer('get', '/api/integrations/documenttypes', { items: [{ id: 'http://loinc.org|11488-4', name: 'consultation', source: EHR.name }] });
  const { patients, choices, posted, undone, isAt } = await open({
    attachments: ['a1', 'a2', 'a3'].map((id) => attachment({ id, fileName: `${id}.pdf`, attachmentMeta: TYPED })),
  });
  await screen.findByText('The same name as the document type');
  await screen.findByRole('radio', { name: 'Echo, 11/18/2026, Dr. Lin' });
  await userEvent.click(screen.getByRole('checkbox', { name: 'File a2.pdf to the chart' }));
  await press('e');
  await isAt('/intake/next');
  expect(posted.map((p) => p.body)).toEqual([
    { acceptsGaps: false, attachmentIds: ['a1', 'a3'], processes: true, integrationId: 'ehr', chartPatientId: 'p-1' },
  ]);
  expect(patients.at(-1)!.body.integrationMeta).toMatchObject({ visitId: 'v-2' });
  expect(choices()).toEqual(Array(2).fill(expect.objectContaining({ documentTypeId: 'http://loinc.org|11488-4' })));
  await screen.findByText(/On its way to the chart of Tenney, Marisol\./);
  await press('z');
  await isAt('/intake/m1');
  expect(undone.map((u) => u.path.filingId)).toEqual(['f-0', 'f-1']);
});

test('where the EHR needs a document type, filing names each file that lacks one (MSG-R-286)', async () => {
  const { posted } = await open({}, { ehr: { requiresDocumentType: true } });
  await press('e');
  expect(await screen.findAllByText('"Document Type" is required for file Visit note.pdf')).toHaveLength(2);
  expect(posted).toEqual([]);
});

test('a group that is chosen is saved without the urgency of the former reviewer (MSG-R-215)', async () => {
  const { choices } = await open({
    attachments: [attachment({ attachmentMeta: { ...TYPED, integrationMeta: { reviewerId: 'r-1', urgent: true } } })],
  });
  await click(/Urgent$/);
  const question = within(await screen.findByRole('dialog', { name: `Reviewer in ${EHR.name}` }));
  await userEvent.click(question.getByRole('tab', { name: 'Reviewer Group' }));
  await userEvent.click(await question.findByText('Cardiology pool'));
  await userEvent.click(question.getByRole('button', { name: 'Select' }));
  await waitFor(() => expect(choices().at(-1)).toMatchObject({ groupReviewerId: 'Group/g', urgent: false }));
});

test('without a patient of the chart, the filing key asks for one; what the server refuses comes back with its reason', async () => {
  const { posted, isAt } = await open();
  refusal('post', '/api/messages/{id}/chart', 409, { message: 'This document is already in the chart, or on its way there.' });
  await press('e');
  await screen.findByText('This document is already in the chart, or on its way there.');
  await isAt('/intake/m1');
  await press('z');
  await screen.findByText('There is nothing to undo.');
  await click('Clear patient');
  await press('e');
  await screen.findByText('Please find the patient in the chart first.');
  expect(await screen.findByRole('dialog', { name: `Find patient in ${EHR.name}` })).toBeInTheDocument();
  expect(posted).toEqual([]);
});

test('ordinary filing stays beside it, and a failing EHR lets documents wait', async () => {
  const { posted } = await open({}, { ehr: { state: 'Failing', nextTryAt: '2099-01-01T00:00:00Z' } });
  const processed = answer('put', '/api/messages/{id}/process', message({ isProcessed: true }) as never);
  expect(screen.getByRole('button', { name: /^File once it answers/ })).toBeInTheDocument();
  expect(screen.getByText(/filed automatically once it answers/)).toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'File without chart' }));
  await waitFor(() => expect(processed).toHaveLength(1));
  expect(posted).toEqual([]);
});

test('what was filed is followed until it is in the chart, linked, and taken back after a question that names patient and file', async () => {
  const { inChart, undone } = await open({}, { filings: [filing({ state: 'Waiting', chartDocumentId: null })] });
  expect(await screen.findByText('On its way…')).toBeInTheDocument();
  expect(screen.getByText('On its way to the chart')).toBeInTheDocument();
  inChart.items = [filing({ chartUrl: 'https://ehr.example/p-1' })];
  expect(await screen.findByText('In the chart', undefined, { timeout: 4000 })).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'DocumentReference 8842' })).toHaveAttribute('href', 'https://ehr.example/p-1');
  await click('Undo: Visit note.pdf');
  const question = await screen.findByRole('dialog', { name: 'Take back from the chart' });
  expect(question).toHaveTextContent('Visit note.pdf');
  expect(question).toHaveTextContent('the chart of Tenney, Marisol');
  expect(undone).toEqual([]);
  await click('Take back');
  await waitFor(() => expect(undone.map((u) => u.path.filingId)).toEqual(['f-1']));
});

test('what failed says why and is tried again', async () => {
  const { inChart } = await open(
    {},
    { filings: [filing({ state: 'Failed', chartDocumentId: null, problem: 'The patient is no longer active in the chart.' })] },
  );
  const again = answer('post', '/api/messages/{id}/chart/{filingId}/retry', () => {
    inChart.items = [filing({ state: 'Waiting' })];
    return inChart;
  });
  expect(await screen.findByText('Failed: The patient is no longer active in the chart.')).toBeInTheDocument();
  await click('Try again: Visit note.pdf');
  await screen.findByText('On its way…');
  expect(again.map((a) => a.path.filingId)).toEqual(['f-1']);
});

test('whoever files while a colleague chooses another patient is told, and nothing is filed', async () => {
  answer('post', '/api/integrations/visits', { items: VISITS });
  const { posted, isAt } = await open();
  await screen.findByRole('radio', { name: 'Echo, 11/18/2026, Dr. Lin' });
  const theirs: Patient = { ...CHOSEN, firstName: 'Ana', integrationMeta: { ...IN_CHART, patientId: 'p-9' } };
  answer('get', '/api/messages/{id}', {
    ...message({ direction: 'Intake', isDraft: false, status: 'Received', subject: 'Results', patient: theirs, patientVersion: 5 }),
    attachments: [attachment({ attachmentMeta: TYPED })],
  } as never);
  refusal('put', '/api/messages/{id}/patient', 409, { reason: 'Changed in the meantime.' });
  await press('e');
  expect(await screen.findByText('The patient of this message was changed meanwhile. Please check it and file again.')).toBeInTheDocument();
  expect(field('First name')).toHaveValue('Ana');
  await isAt('/intake/m1');
  expect(posted).toEqual([]);
});

test('a patient who was changed just before is refused by the server, which is told the one on the screen', async () => {
  const { isAt } = await open();
  const text = 'The patient of this message was changed meanwhile. Please check it and file again.';
  const refused = refusal('post', '/api/messages/{id}/chart', 422, { modelState: { patient: [text] } });
  await press('e');
  expect(await screen.findByText(text)).toBeInTheDocument();
  await isAt('/intake/m1');
  expect(refused.map((r) => r.body)).toMatchObject([{ integrationId: 'ehr', chartPatientId: 'p-1' }]);
});

test('the filing key waits until the connected EHRs are known, and files nothing without them', async () => {
  let load = () => {};
  const { posted, isAt } = await open({}, { ehr: null, waits: new Promise<void>((done) => (load = done)) });
  const processed = answer('put', '/api/messages/{id}/process', message({ isProcessed: true }) as never);
  await press('e');
  await screen.findByText('Results', { selector: 'h1' });
  expect(processed).toEqual([]);
  load();
  await isAt('/intake/next');
  await waitFor(() => expect(processed).toHaveLength(1));
  expect(posted).toEqual([]);
});

test('where the connected EHRs could not be loaded, filing without the chart is a choice of its own', async () => {
  const { posted } = await open({}, { ehr: 'fails' });
  const processed = answer('put', '/api/messages/{id}/process', message({ isProcessed: true }) as never);
  expect(await screen.findByRole('button', { name: 'Try again' })).toBeInTheDocument();
  await press('e');
  expect(await screen.findAllByText('The connected EHRs could not be loaded.')).not.toHaveLength(0);
  expect([processed, posted]).toEqual([[], []]);
  expect(screen.queryByRole('button', { name: 'File and next' })).toBeNull();
  await click('File without chart');
  await waitFor(() => expect(processed).toHaveLength(1));
});

test('orders keep the proposed visit, and another visit drops them, until z', async () => {
  answer('post', '/api/integrations/visits', { items: VISITS });
  answer('post', '/api/integrations/orders', { items: [{ id: 'o-1', description: 'Echo', isCancelled: false } as never] });
  const { patients, choices } = await open();
  await screen.findByRole('radio', { name: 'Echo, 11/18/2026, Dr. Lin' });
  await click('Orders');
  const orders = within(await screen.findByRole('dialog', { name: /orders/i }));
  await userEvent.click((await orders.findAllByRole('checkbox')).at(-1)!);
  await userEvent.click(orders.getByRole('button', { name: /^Select/ }));
  await waitFor(() => expect(choices().at(-1)).toMatchObject({ orderIds: ['o-1'] }));
  await waitFor(() => expect(patients.at(-1)?.body).toMatchObject({ visitId: 'v-2' }));
  await press('2');
  await waitFor(() => expect(choices().at(-1)).toMatchObject({ orderIds: [] }));
  await screen.findByText('The visit was cleared.');
  await press('z');
  await waitFor(() => expect(choices().at(-1)).toMatchObject({ orderIds: ['o-1'] }));
  await waitFor(() => expect(patients.at(-1)?.body).toMatchObject({ visitId: 'v-2' }));
});

test('a visit that was entered is not replaced by the proposed one', async () => {
  answer('post', '/api/integrations/visits', { items: VISITS });
  const { patients, isAt } = await open({ patient: { ...CHOSEN, visitDate: '2026-11-02' } });
  const visits = within(await screen.findByRole('radiogroup', { name: 'Visit' }));
  expect(await visits.findByRole('radio', { name: '11/02/2026' })).toBeChecked();
  await visits.findByRole('radio', { name: 'Echo, 11/18/2026, Dr. Lin' });
  await press('e');
  await isAt('/intake/next');
  expect(patients).toEqual([]);
});

test('a patient whose details arrive after another one was chosen is dropped', async () => {
  answer('get', '/api/messages/{id}/chart/matches', {
    items: [match()],
    proposed: 'p-1',
    isCut: false,
    integrationId: 'ehr',
    integrationName: EHR.name,
    milliseconds: 9,
  });
  let give = () => {};
  const given = new Promise<void>((done) => (give = done));
  const asked = answer('get', '/api/integrations/patients/{id}', async () => {
    await given;
    return { patient: CHOSEN, isActive: true, isDeceased: false };
  });
  const { patients } = await open({ patient: MARISOL });
  await screen.findByRole('button', { name: 'Use Tenney, Marisol' });
  await press('{Enter}{Enter}');
  await waitFor(() => expect(asked).toHaveLength(1));
  await userEvent.type(field('Last name'), 's');
  give();
  await userEvent.tab();
  await waitFor(() => expect(patients.at(-1)?.body).toMatchObject({ lastName: 'Tenneys' }));
  await new Promise((done) => setTimeout(done, 50));
  expect(asked).toHaveLength(1);
  expect(patients.filter((p) => p.body.integrationMeta)).toEqual([]);
});

test('what was filed can be taken back when the EHR is turned off, but not tried again', async () => {
  const { undone } = await open({}, { ehr: null, filings: [filing({ state: 'Failed', chartDocumentId: null, problem: 'Refused.' })] });
  expect(await screen.findByText('Failed: Refused.')).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Try again: Visit note.pdf' })).toBeDisabled();
  await click('Undo: Visit note.pdf');
  await click('Take back');
  await waitFor(() => expect(undone).toHaveLength(1));
});

test('what a rule filed says so', async () => {
  await open({ isProcessed: true }, { filings: [filing({ ruleId: 'r-1', filedBy: 'rule Labs', percent: 99 })] });
  expect(await screen.findByText(/^Filed by rule Labs /)).toBeInTheDocument();
});

test('a message that a rule did not file says why', async () => {
  const left = { ruleName: 'Labs', reason: 'the birth date differs', at: '2026-11-24T10:32:00Z' };
  await open({}, { refusal: left });
  expect(await screen.findByText('Not filed by rule Labs: the birth date differs')).toBeInTheDocument();
});

test('the reason of a rule stays while filing failed, or the document was only sent elsewhere', async () => {
  const left = { ruleName: 'Labs', reason: 'the birth date differs', at: '2026-11-24T10:32:00Z' };
  await open({}, { refusal: left, filings: [filing({ state: 'Failed' }), sent({ id: 'f-2' })] });
  expect(await screen.findByText('Not filed by rule Labs: the birth date differs')).toBeInTheDocument();
});

test('the reason of a rule is past once the document is in the chart', async () => {
  await open({}, { refusal: { ruleName: 'Labs', reason: 'the birth date differs', at: '2026-11-24T10:32:00Z' }, filings: [filing()] });
  expect(await screen.findByText('In the chart')).toBeInTheDocument();
  expect(screen.queryByText(/^Not filed by rule/)).toBeNull();
});

const DESK = 'Referral desk';
const sent = (over: Partial<ChartFiling> = {}) =>
  filing({ integrationId: DESK, integrationName: DESK, integrationType: 'WebService', chartDocumentId: null, ...over });

test('one key sends the chosen documents to a web service; the message stays as it is, and z takes them back', async () => {
  const { inChart, undone, isAt } = await open(
    { attachments: ['a1', 'a2'].map((id) => attachment({ id, fileName: `${id}.pdf`, attachmentMeta: TYPED })) },
    { ehr: null, services: [DESK] },
  );
  const posted = answer('post', '/api/messages/{id}/chart', ({ body }) => {
    inChart.items = (body.attachmentIds ?? []).map((id, at) => sent({ id: `s-${at}`, attachmentId: id, state: 'Waiting' }));
    return inChart;
  });
  await screen.findByRole('button', { name: `Send to ${DESK}` });
  await userEvent.click(screen.getByRole('checkbox', { name: 'Choose a2.pdf' }));
  await press('w');
  expect(await screen.findByText(`On its way to ${DESK}…`)).toBeInTheDocument();
  expect(posted.map((p) => p.body)).toEqual([{ integrationId: DESK, chartPatientId: '', processes: false, attachmentIds: ['a1'] }]);
  await isAt('/intake/m1');
  expect(screen.getByRole('button', { name: 'File and next' })).toBeInTheDocument();
  await press('z');
  await waitFor(() => expect(undone.map((u) => u.path.filingId)).toEqual(['s-0']));
});

test('what was sent to a web service says where, and does not count as filed to the chart', async () => {
  const { posted } = await open(
    {},
    {
      services: [DESK, 'Archive'],
      filings: [
        sent(),
        sent({ id: 'f-2', integrationId: 'Archive', integrationName: 'Archive', state: 'Failed', problem: 'It answered with status 410.' }),
      ],
    },
  );
  expect(await screen.findByText(new RegExp(`^Sent to ${DESK}`))).toBeInTheDocument();
  expect(screen.getByText('Could not be sent: It answered with status 410.')).toBeInTheDocument();
  expect(screen.getAllByRole('button', { name: 'Try again: Visit note.pdf' })).toHaveLength(1);
  await userEvent.click(screen.getAllByRole('button', { name: 'Take back: Visit note.pdf' })[0]!);
  expect(await screen.findByRole('dialog', { name: `Take back from ${DESK}` })).toHaveTextContent(`${DESK} is told that it was taken back`);
  await click('Cancel');
  await click('Send to…');
  await userEvent.click(await screen.findByRole('menuitem', { name: `Send to ${DESK}` }));
  expect(await screen.findByText(`Please select a document that was not sent to ${DESK} yet.`)).toBeInTheDocument();
  await press('e');
  await waitFor(() => expect(posted.map((p) => p.body)).toMatchObject([{ integrationId: 'ehr', attachmentIds: ['a1'], processes: true }]));
});

test('a document that names another patient is sent only after a question', async () => {
  await open({}, { ehr: null, services: [DESK] });
  const words = 'The document and the patient differ. Please check both.';
  refusal('post', '/api/messages/{id}/chart', 422, { message: words, modelState: { acceptsPatient: [words] } });
  await click(`Send to ${DESK}`);
  const question = await screen.findByRole('dialog', { name: 'The document and the patient differ' });
  expect(question).toHaveTextContent('Nothing has been sent.');
  const posted = answer('post', '/api/messages/{id}/chart', { items: [sent({ state: 'Waiting' })] });
  await userEvent.click(within(question).getByRole('button', { name: 'Send anyway' }));
  await waitFor(() => expect(posted.map((p) => p.body)).toMatchObject([{ acceptsPatient: true, integrationId: DESK }]));
});

test('the assigned colleague is proposed as reviewer, and saved only once taken', async () => {
  const identity = { kind: 'Person' as const, externalId: 'r-9', externalName: 'Ama Osei' };
  const asked = answer('get', '/api/integrations/identities/{userId}', {
    items: [
      { ...identity, integrationId: 'ehr' },
      { ...identity, integrationId: 'other', externalId: 'r-1' },
    ],
  });
  const { choices, posted } = await open({ assignedTo: { id: 'u-7', name: 'Ama Osei' } });
  expect(await screen.findByRole('button', { name: 'Ama Osei (proposed)' })).toHaveAttribute('aria-keyshortcuts', '3');
  expect(asked.map(({ path }) => path.userId)).toEqual(['u-7']);
  expect(choices()).toEqual([]);
  await press('3');
  await waitFor(() => expect(choices().at(-1)).toMatchObject({ reviewerId: 'r-9' }));
  expect(screen.queryByText(/\(proposed\)/)).toBeNull();
  expect(screen.getByRole('button', { name: 'Ama Osei' })).toBeInTheDocument();
  await press('e');
  await waitFor(() => expect(posted).toHaveLength(1));
});

test('the chart can be opened before anything was filed into it', async () => {
  await open({}, { ehr: { chartUrl: 'https://ehr.example/{patient}' } });
  expect(await screen.findByRole('link', { name: 'Open chart' })).toHaveAttribute('href', 'https://ehr.example/p-1');
});
