import { deflateSync, crc32 } from 'node:zlib';
import { type APIRequestContext, request } from '@playwright/test';
import { account, expect, PASSWORD } from './support';

/** Ids of the data on the screens. */
export type Data = {
  /** Received: a PDF, a C-CDA document with a PDF, a scan, and one file of every other kind. */
  pdf: string;
  summary: string;
  scan: string;
  mixed: string;
  /** Sent: one that arrived, one that did not. */
  delivered: string;
  failed: string;
  /** Drafts, made for the tests. */
  draft: string;
  forward: string;
  /** The PDF of `pdf`, as the print page names it. */
  printJob: string;
  organization: string;
  /** With organizations, an administrator, features and a service account. */
  network: string;
  /** A patient of the practice, whom sent messages name. */
  patient: string;
  /** Somebody of the practice, who is not its administrator. */
  person: string;
  /** An administrator whose photo ID waits for a decision. */
  applicant: string;
  /** A C-CDA document about a patient other than that of the draft. */
  clinical: { name: string; mimeType: string; buffer: Buffer };
};

type Item = { id: string; status: string };
const MIXED = 'Papers of every kind';
const INTAKE = 'records@larkfield.direct.carepost.example';

async function caller(baseURL: string, name: string) {
  const anonymous = await request.newContext({ baseURL });
  const answer = await anonymous.post('/api/account/login', { data: { userName: account(name), password: PASSWORD } });
  const { accessToken } = (await answer.json()) as { accessToken: string };
  await anonymous.dispose();
  return request.newContext({ baseURL, extraHTTPHeaders: { Authorization: `Bearer ${accessToken}` } });
}
async function json<T>(call: ReturnType<APIRequestContext['get']>): Promise<T> {
  const answer = await call;
  expect(answer.ok(), `${answer.url()} ${answer.status()} ${answer.ok() ? '' : await answer.text()}`).toBe(true);
  return (await answer.json()) as T;
}

/** The bytes of a picture: grey stripes. */
function png(): Buffer {
  const [width, height] = [320, 200];
  const chunk = (name: string, content: Buffer) => {
    const body = Buffer.concat([Buffer.from(name), content]);
    const out = Buffer.alloc(body.length + 8);
    out.writeUInt32BE(content.length);
    body.copy(out, 4);
    out.writeUInt32BE(crc32(body), body.length + 4);
    return out;
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width);
  head.writeUInt32BE(height, 4);
  head.set([8, 0, 0, 0, 0], 8);
  const row = Buffer.concat([Buffer.from([0]), Buffer.from(Array.from({ length: width }, (_, x) => (x * 255) / width))]);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)));
  return Buffer.concat([
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
    chunk('IHDR', head),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
const NOTE = 'Visit note\n\nRight knee pain since spring, worse on stairs. No swelling, full range of motion.\n';
const mixedFiles = [
  { name: 'Right knee.png', mimeType: 'image/png', buffer: png() },
  { name: 'Visit note.txt', mimeType: 'text/plain', buffer: Buffer.from(NOTE) },
  { name: 'Damaged.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7\nnothing follows\n') },
];
const meta = { documentType: 'Progress note', documentDate: '2026-01-15', documentDateType: 'selected', confidentiality: 'Normal' };
const attach = (by: APIRequestContext, id: string, file: { name: string; mimeType: string; buffer: Buffer }) =>
  json<Item>(by.post(`/api/messages/${id}/attachments`, { multipart: { attachmentMeta: JSON.stringify(meta), convert: 'true', file } }));
const PATIENT = { firstName: 'Bridget', lastName: 'Halloran', birthDate: '1979-07-02', gender: 'F' };

async function sendMixed(baseURL: string) {
  const sam = await caller(baseURL, 'sam');
  const draft = await json<Item>(
    sam.put('/api/messages', {
      data: {
        subject: MIXED,
        fromAddress: 'records@summit-ortho.direct.carepost.example',
        toAddresses: [INTAKE],
        body: `Dear colleagues,\n\nthese are the papers you asked for.\n\n${NOTE.repeat(6)}`,
        releaseType: 'Referral',
        patient: PATIENT,
      },
    }),
  );
  for (const file of mixedFiles) await attach(sam, draft.id, file);
  await json(sam.post(`/api/messages/${draft.id}/send`, { data: {} }));
  await sam.dispose();
}

/** Hands in a photo ID, unless one waits already. */
async function applicant(baseURL: string): Promise<string> {
  const kai = await caller(baseURL, 'kai');
  const { userId } = await json<{ userId: string }>(kai.get('/api/users/profiledata'));
  const { decision } = await json<{ decision: string | null }>(kai.get('/api/identityproofing/decision'));
  if (decision !== 'UnderReview') {
    const currentAddress = { addressLine: '12 Birch Lane', city: 'Larkfield', state: 'OH', zip: '43999' };
    const person = { firstName: 'Kai', lastName: 'Lindqvist', dateOfBirth: '03/14/1975', phoneNumber: '5550100144', currentAddress };
    await json(kai.post('/api/identityproofing', { data: person }));
    const file = { name: 'Licence.png', mimeType: 'image/png', buffer: png() };
    await json(kai.post('/api/identityproofing/document', { multipart: { file } }));
  }
  await kai.dispose();
  return userId;
}

/** Captures a call of Summit; the result ends the capture. */
async function captureCall(baseURL: string) {
  const [sam, ops] = [await caller(baseURL, 'sam'), await caller(baseURL, 'ops')];
  const { organizationId } = await json<{ organizationId: string }>(sam.get('/api/users/profiledata'));
  const path = `/api/organizations/${organizationId}/apicapture`;
  await ops.put(path, { data: { enable: true } });
  await json(sam.get('/api/features'));
  await Promise.all([sam.dispose(), ops.dispose()]);
  return (by: APIRequestContext) => by.put(path, { data: { enable: false } });
}

/** Finds and creates the data of the screens, and deletes the drafts afterwards. */
export async function prepare(baseURL: string): Promise<{ data: Data; clean: () => Promise<void> }> {
  const [dana, ops] = [await caller(baseURL, 'dana'), await caller(baseURL, 'ops')];
  const received = async (filter: string) =>
    (
      await json<{ items: Item[] }>(dana.post('/api/intake', { data: { isAll: true, startDate: '2000-01-01', filter, pageSize: 10 } }))
    ).items.at(-1);
  const sent = async (status: string) =>
    (await json<{ items: Item[] }>(dana.get('/api/messages', { params: { pageSize: 20, isDraft: false, statuses: status } }))).items.at(-1)!
      .id;

  if (!(await received(MIXED))) await sendMixed(baseURL);
  const pdf = (await received('Laboratory'))!.id;
  const { releaseTypes } = await json<{ releaseTypes: { id: string; name: string }[] }>(dana.get('/api/releasetypes'));
  const draft = await json<Item>(
    dana.put('/api/messages', {
      data: {
        subject: 'Right knee',
        fromAddress: 'referrals@larkfield.direct.carepost.example',
        toAddresses: ['intake@summit-ortho.direct.carepost.example'],
        body: NOTE,
        releaseTypeId: releaseTypes.find((t) => t.name === 'Referral')!.id,
        patient: PATIENT,
      },
    }),
  );
  await attach(dana, draft.id, mixedFiles[1]!);
  const forward = await json<Item>(dana.post(`/api/messages/${pdf}/copy`));
  const summary = (await received('Summary'))!.id;
  type Files = { attachments: { id: string; fileName: string }[] };
  const [fileOfPdf, xml] = [
    (await json<Files>(dana.get(`/api/messages/${pdf}`))).attachments[0]!,
    (await json<Files>(dana.get(`/api/messages/${summary}`))).attachments.find((a) => a.fileName.endsWith('.xml'))!,
  ];
  const clinical = await dana.get(`/api/messages/${summary}/attachments/${xml.id}`);
  await expect.poll(() => received(MIXED), { timeout: 20_000 }).toBeTruthy();
  const organizations = await json<{ items: (Item & { name: string })[] }>(
    ops.get('/api/organizations', { params: { search: 'Larkfield' } }),
  );
  const networks = await json<{ items: Item[] }>(ops.get('/api/networks', { params: { search: 'Meridian Exchange' } }));
  const network = networks.items[0]!.id;
  const serviceAccount = `/api/networks/${network}/serviceaccounts`;
  await json(ops.put(serviceAccount));
  const endCapture = await captureCall(baseURL);
  const people = await json<{ items: Item[] }>(dana.get('/api/users', { params: { search: 'priya' } }));
  const patients = await json<{ items: Item[] }>(dana.post('/api/patients/_search', { data: { text: 'Ashby' } }));
  const data: Data = {
    pdf,
    summary,
    scan: (await received('Scanned'))!.id,
    mixed: (await received(MIXED))!.id,
    delivered: await sent('Sent'),
    failed: await sent('Failed'),
    draft: draft.id,
    forward: forward.id,
    printJob: `${pdf}.${fileOfPdf.id}`,
    organization: organizations.items[0]!.id,
    network,
    patient: patients.items[0]!.id,
    person: people.items[0]!.id,
    applicant: await applicant(baseURL),
    clinical: { name: 'Summary of care.xml', mimeType: 'application/xml', buffer: await clinical.body() },
  };
  await Promise.all([dana.dispose(), ops.dispose()]);
  const clean = async () => {
    // The sessions of before ended: nothing was asked with them for 15 minutes.
    const [dana, ops] = [await caller(baseURL, 'dana'), await caller(baseURL, 'ops')];
    for (const id of [draft.id, forward.id]) expect((await dana.delete(`/api/messages/${id}`)).ok()).toBe(true);
    expect((await ops.delete(serviceAccount)).ok()).toBe(true);
    expect((await endCapture(ops)).ok()).toBe(true);
    await Promise.all([dana.dispose(), ops.dispose()]);
  };
  return { data, clean };
}
