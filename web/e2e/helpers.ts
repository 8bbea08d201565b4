import { type APIRequestContext, expect, type Locator, type Page, type Route } from '@playwright/test';
import { account, afterwards, PASSWORD, WORK_MS } from './support';

/** Data of their own for the tests that follow the ledger, made through the API as staff would make it. */

export const LARKFIELD = 'records@larkfield.direct.carepost.example';
export const SUMMIT = 'intake@summit-ortho.direct.carepost.example';
const OWN_ADDRESS = { dana: LARKFIELD, priya: LARKFIELD, sam: 'records@summit-ortho.direct.carepost.example' } as const;
export type Sender = keyof typeof OWN_ADDRESS;

export type NewFile = { name: string; mimeType: string; buffer: Buffer; meta?: object };
type Item = { id: string; subject: string; status: string };
export type Draft = { subject: string; to: string[]; body?: string; patient?: object | null; files?: NewFile[]; more?: object };

let counter = 0;
/** A subject that no other test uses. */
export const unique = (words: string) => `${words} ${Date.now().toString(36)}${(counter++).toString(36)}`;

const tokens = new Map<string, Promise<string>>();
async function tokenOf(request: APIRequestContext, name: string) {
  const answer = await request.post('/api/account/login', { data: { userName: account(name), password: PASSWORD } });
  expect(answer.ok()).toBe(true);
  return ((await answer.json()) as { accessToken: string }).accessToken;
}

export class Api {
  private readonly request: APIRequestContext;
  private readonly name: Sender | 'ops' | 'ruth';
  constructor(request: APIRequestContext, name: Sender | 'ops' | 'ruth') {
    this.request = request;
    this.name = name;
  }
  /** A refused sign-in is retried by the next caller. */
  private token() {
    const known = tokens.get(this.name) ?? tokenOf(this.request, this.name);
    tokens.set(this.name, known);
    known.catch(() => tokens.delete(this.name));
    return known;
  }
  private async call<T>(method: string, path: string, body?: object): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      const headers = { Authorization: `Bearer ${await this.token()}` };
      const answer = await this.request.fetch(path, { method, headers, ...body });
      if (answer.status() === 401 && attempt === 0) {
        tokens.delete(this.name);
        continue;
      }
      expect(answer.ok(), `${method} ${path}: ${answer.status()} ${answer.ok() ? '' : await answer.text()}`).toBe(true);
      return (answer.headers()['content-type']?.includes('json') ? await answer.json() : null) as T;
    }
  }
  get = <T>(path: string) => this.call<T>('GET', path);
  post = <T>(path: string, data: object = {}) => this.call<T>('POST', path, { data });
  put = <T>(path: string, data: object = {}) => this.call<T>('PUT', path, { data });
  remove = (path: string) => this.call('DELETE', path);
  /** Sets the patient of a message, based on the one that is there. */
  async setPatient(id: string, patient: object) {
    const { patientVersion: version } = await this.get<{ patientVersion: number }>(`/api/messages/${id}`);
    return this.put(`/api/messages/${id}/patient`, { ...patient, version });
  }
  /** Deletes a message that may be gone already. */
  async forget(id: string) {
    await this.remove(`/api/messages/${id}`).catch(() => undefined);
  }

  /** A draft with its files. */
  async draft({ subject, to, body = 'Dear colleagues, please see the documents.', patient = PATIENT, files = [], more = {} }: Draft) {
    const sender = OWN_ADDRESS[this.name as Sender];
    const data = { subject, fromAddress: sender, toAddresses: to, body, releaseType: 'Other', patient, ...more };
    const { id } = await this.put<Item>('/api/messages', data);
    afterwards(() => this.forget(id));
    for (const { meta, ...file } of files) {
      const said = {
        documentType: 'Progress note',
        documentDate: '2026-01-15',
        documentDateType: 'selected',
        confidentiality: 'Normal',
        ...meta,
      };
      await this.call('POST', `/api/messages/${id}/attachments`, { multipart: { attachmentMeta: JSON.stringify(said), file } });
    }
    return id;
  }
  /** Answers the id of the sent message. */
  async send(draft: Draft) {
    const id = await this.draft(draft);
    // The documents' patients matter only to the patient stories.
    await this.post(`/api/messages/${id}/send`, { acceptsPatient: true });
    return id;
  }
  /** The id under which a message arrived here, once it has. */
  async received(subject: string): Promise<string> {
    let id = '';
    await expect
      .poll(
        async () => {
          const body = { isAll: true, startDate: '2000-01-01', filter: subject.split(' ').at(-1), pageStart: 1, pageSize: 100 };
          id = (await this.post<{ items: Item[] }>('/api/messages', body)).items.find((m) => m.subject.startsWith(subject))?.id ?? '';
          return id;
        },
        { timeout: WORK_MS, message: `${subject} arrives` },
      )
      .not.toBe('');
    afterwards(() => this.forget(id));
    return id;
  }
}
type Organization = { id: string; subDomain: string; brandId: string; planId: string | null; enabledFeatures: string[] };
/** Changes an organization as the operator does; the test's end takes it back. */
export async function reconfigure(request: APIRequestContext, subDomain: string, change: (now: Organization) => Partial<Organization>) {
  const ops = apiOf(request, 'ops');
  const { items } = await ops.get<{ items: Organization[] }>('/api/organizations?pageSize=100&pageNumber=1');
  const path = `/api/organizations/${items.find((o) => o.subDomain === subDomain)!.id}`;
  const before = await ops.get<Organization>(path);
  await ops.put(path, { ...before, ...change(before) });
  afterwards(async () => ops.put(path, { ...before, version: (await ops.get<{ version: number }>(path)).version }));
}
/** The API as somebody. Never by `page.request`, which shares the cookies of the page: a sign-in there ends the session of the page. */
export const apiOf = (request: APIRequestContext, name: Sender | 'ops' | 'ruth') => new Api(request, name);

type Mail = { id: string; toAddress: string };
/** The token of the link in the newest e-mail to an address, from the mailbox of the demonstration. */
export async function linkToken(request: APIRequestContext, address: string): Promise<string> {
  let token: string | undefined;
  const look = async () => {
    const { items } = (await (await request.get('/api/demo/emails')).json()) as { items: Mail[] };
    const mail = items.find((m) => m.toAddress === address);
    const content = mail && ((await (await request.get(`/api/demo/emails/${mail.id}`)).json()) as { text: string });
    token = content && /#([\w-]{20,})/.exec(content.text)?.[1];
    return token;
  };
  await expect.poll(look, { message: `a link for ${address}`, timeout: WORK_MS }).toBeTruthy();
  return token!;
}

export const PATIENT = { firstName: 'Bridget', lastName: 'Halloran', birthDate: '1979-07-02', gender: 'F' };

/** A message from Summit in Larkfield's Intake, and its id there. */
export async function receive(request: APIRequestContext, draft: Omit<Draft, 'to'>) {
  await apiOf(request, 'sam').send({ ...draft, to: [LARKFIELD] });
  return apiOf(request, 'dana').received(draft.subject);
}

/** Reads the patient out of the files of a message, which takes its time on a busy machine. */
export async function extracted(request: APIRequestContext, id: string) {
  const dana = apiOf(request, 'dana');
  const { attachments } = await dana.get<{ attachments: { id: string }[] }>(`/api/messages/${id}`);
  for (const file of attachments) {
    const path = `/api/messages/${id}/attachments/${file.id}/patient/extract`;
    await dana.put(path);
    const status = async () => (await dana.get<{ status: string }>(path)).status;
    await expect.poll(status, { timeout: WORK_MS, message: 'the patient is read' }).toBe('Completed');
  }
}

export const TEXT: NewFile = { name: 'Visit note.txt', mimeType: 'text/plain', buffer: Buffer.from('Right knee pain since spring.\n') };

/** A PDF of one page with some lines of text. */
export function pdf(name = 'Report.pdf', lines: string[] = []): NewFile {
  const shown = lines.map((line, n) => `BT /F1 12 Tf 72 ${720 - 18 * n} Td (${line}) Tj ET`).join('\n');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${shown.length} >>\nstream\n${shown}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
  ];
  let text = '%PDF-1.4\n';
  const offsets = objects.map((o, i) => {
    const at = text.length;
    text += `${i + 1} 0 obj\n${o}\nendobj\n`;
    return at;
  });
  const size = objects.length + 1;
  const table = offsets.map((o) => `${String(o).padStart(10, '0')} 00000 n \n`).join('');
  text += `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
  return { name, mimeType: 'application/pdf', buffer: Buffer.from(text, 'latin1') };
}

/** A result of a laboratory as an entry of a clinical document. */
const result = ([day, value]: [day: string, value: string]) => `<entry><observation classCode="OBS" moodCode="EVN">
    <code code="4548-4" codeSystem="2.16.840.1.113883.6.1" displayName="Hemoglobin A1c"/><statusCode code="completed"/>
    <effectiveTime value="${day}"/><value xsi:type="PQ" value="${value}" unit="%"/></observation></entry>`;

/** A section with values of one measurement by their days (YYYYMMDD). */
export const results = (values: [day: string, value: string][]) => `<component><section>
    <templateId root="2.16.840.1.113883.10.20.22.2.3.1"/>
    <code code="30954-2" codeSystem="2.16.840.1.113883.6.1"/><title>Results</title><text>Hemoglobin A1c</text>${values.map(result).join('')}
  </section></component>`;

/** A clinical document about one patient, with one section and what is given besides. */
export function ccda({ code = 'N', first = 'Teo', last = 'Castellanos', born = '19880417', more = '' } = {}): NewFile {
  const xml = `<?xml version="1.0" encoding="UTF-8"?>
<ClinicalDocument xmlns="urn:hl7-org:v3" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
  <realmCode code="US"/><typeId root="2.16.840.1.113883.1.3" extension="POCD_HD000040"/>
  <templateId root="2.16.840.1.113883.10.20.22.1.1" extension="2015-08-01"/>
  <templateId root="2.16.840.1.113883.10.20.22.1.2" extension="2015-08-01"/>
  <id root="2.16.840.1.113883.19.5.99999.1" extension="77"/>
  <code code="34133-9" codeSystem="2.16.840.1.113883.6.1" displayName="Summarization of Episode Note"/>
  <title>Summary of care</title><effectiveTime value="20260115"/>
  <confidentialityCode code="${code}" codeSystem="2.16.840.1.113883.5.25"/><languageCode code="en-US"/>
  <recordTarget><patientRole>
    <id root="2.16.840.1.113883.19.5.99999.2" extension="LFM-77"/>
    <addr><streetAddressLine>12 Mill Lane</streetAddressLine><city>Larkfield</city><state>OH</state><postalCode>43998</postalCode></addr>
    <patient><name><given>${first}</given><family>${last}</family></name>
      <administrativeGenderCode code="M" codeSystem="2.16.840.1.113883.5.1"/><birthTime value="${born}"/></patient>
  </patientRole></recordTarget>
  <component><structuredBody><component><section>
    <templateId root="2.16.840.1.113883.10.20.22.2.6.1"/>
    <code code="48765-2" codeSystem="2.16.840.1.113883.6.1"/><title>Allergies</title><text>No known allergies.</text>
  </section></component>${more}</structuredBody></component>
</ClinicalDocument>
`;
  return { name: 'Summary of care.xml', mimeType: 'application/xml', buffer: Buffer.from(xml) };
}

// ── Answers that the demo data does not have ───────────────────────────

/** Changes the JSON of an answer on its way to the page. */
export async function change<T>(page: Page, path: string | RegExp, with_: (body: T) => object) {
  const url = typeof path === 'string' ? (u: URL) => u.pathname === path : path;
  await page.route(url, async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: with_((await answer.json()) as T) });
  });
}
/** Answers calls of one method on a path with a problem. */
export async function refuse(page: Page, method: string, path: RegExp, status: number, problem: object = {}) {
  await page.route(path, (route: Route) =>
    route.request().method() === method
      ? route.fulfill({ status, contentType: 'application/problem+json', body: JSON.stringify({ title: 'Refused', status, ...problem }) })
      : route.fallback(),
  );
}

export const dialog = (page: Page, name?: string | RegExp) => page.getByRole('dialog', name ? { name } : undefined);
export const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
/** Switches a parameter of the URL, which follows a moment after the click. */
export const toggle = async (box: Locator, on = true) => {
  await box.click();
  await expect(box).toBeChecked({ checked: on });
};
export const pick = async (page: Page, label: string, option: string) => {
  await page.getByRole('combobox', { name: label, exact: true }).click();
  const choice = page.getByRole('option', { name: option, exact: true });
  await choice.click();
  // The open list covers the content under the field.
  await expect(choice).toBeHidden();
};
