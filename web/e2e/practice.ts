import type { APIRequestContext } from '@playwright/test';
import { apiOf, linkToken, unique } from './helpers';
import { afterwards, expect, OWN_PASSWORD } from './support';

type Named = { id: string; name: string };
type Question = { questionText: string; answerChoice: { value: string; selected: boolean }[] };
type Standing = { quizId: string | null };
/** The state of a new practice: registered, with its terms accepted, its identity proven, or activated as well. */
export type Stage = 'registered' | 'terms' | 'proven' | 'at work';
export type Practice = { name: string; subDomain: string; userName: string };

/** Details of the administrator, which are never wrong answers in the questions. */
export const ADMINISTRATOR = { street: '12 Birch Lane', city: 'Larkfield', zip: '43999', born: '03/14/1975' };
export const RIGHT = ['Birch Lane', 'Larkfield', 'OH', '43999', 'March', '1975', 'Tansy Green'];

/** The server limits registrations per address, and trusts the address given by a proxy. */
const anAddress = () => `198.51.${Math.floor(Math.random() * 256)}.${Math.floor(Math.random() * 256)}`;

async function call<T>(request: APIRequestContext, method: string, path: string, data?: object, token?: string): Promise<T> {
  const headers = { 'X-Forwarded-For': anAddress(), ...(token && { Authorization: `Bearer ${token}` }) };
  const answer = await request.fetch(path, { method, data, headers });
  expect(answer.ok(), `${method} ${path}: ${answer.status()} ${answer.ok() ? '' : await answer.text()}`).toBe(true);
  return (answer.headers()['content-type']?.includes('json') ? await answer.json() : null) as T;
}

async function answerRight(request: APIRequestContext, token: string, quizId: string) {
  const path = `/api/identityproofing/quizzes/${quizId}`;
  const { questions } = await call<{ questions: Question[] }>(request, 'GET', path, undefined, token);
  for (const { answerChoice } of questions) {
    // The last choice is none of these.
    const right = answerChoice.find((c) => RIGHT.includes(c.value)) ?? answerChoice.at(-1)!;
    right.selected = true;
  }
  await call(request, 'POST', path, { questions }, token);
}

/** A practice of the test's own, registered as people do it, and brought as far as the test wants. */
export async function practice(request: APIRequestContext, stage: Stage): Promise<Practice> {
  const name = unique('Fernhill');
  const subDomain = name.toLowerCase().replace(/\W+/g, '-');
  const userName = `fern@${subDomain}.example`;
  const options = await call<{ types: Named[]; specialties: Named[] }>(request, 'GET', '/api/account/register/options');
  await call(request, 'POST', '/api/account/register', {
    name,
    subDomain,
    userName,
    organizationTypeId: options.types[0]!.id,
    organizationSpecialtyId: options.specialties[0]!.id,
    street: '55 Fern Hill',
    city: 'Larkfield',
    state: 'OH',
    zip: '43999',
    primaryPhone: '5550100177',
    primaryContactFirstName: 'Fern',
    primaryContactLastName: 'Hadley',
  });
  const link = await linkToken(request, userName);
  await call(request, 'POST', '/api/account/register/confirm', { token: link, password: OWN_PASSWORD });
  const ops = apiOf(request, 'ops');
  const { items } = await ops.get<{ items: Named[] }>(`/api/organizations?search=${encodeURIComponent(name)}`);
  const path = `/api/organizations/${items[0]!.id}`;
  afterwards(() => ops.remove(path).catch(() => undefined));
  const done = { name, subDomain, userName };
  if (stage === 'registered') return done;

  const { accessToken } = await call<{ accessToken: string }>(request, 'POST', '/api/account/login', { userName, password: OWN_PASSWORD });
  const { type, version } = await call<{ type: string; version: string }>(request, 'GET', '/api/account/terms', undefined, accessToken);
  await call(request, 'POST', '/api/account/terms', { type, version }, accessToken);
  if (stage === 'terms') return done;

  const currentAddress = { addressLine: ADMINISTRATOR.street, city: ADMINISTRATOR.city, state: 'OH', zip: ADMINISTRATOR.zip };
  const person = { firstName: 'Fern', lastName: 'Hadley', dateOfBirth: ADMINISTRATOR.born, currentAddress };
  const { quizId } = await call<Standing>(request, 'POST', '/api/identityproofing', person, accessToken);
  await answerRight(request, accessToken, quizId!);
  if (stage === 'at work') await ops.put(`${path}/activate`, { activated: true, sendEmail: false, seedRecords: true });
  return done;
}
