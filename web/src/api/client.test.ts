import { HttpResponse, http } from 'msw';
import { beforeEach, expect, test, vi } from 'vitest';
import { reportError } from '@/shared/errors';
import { notify } from '@/shared/notify';
import { server } from '@/test/setup';
import { ApiError, api, handleRefusals, unwrap } from './client';
import { compareRenewals, isFresh, NotRenewed, NotSignedIn, SessionChanged, setToken } from './token';

vi.mock('@/shared/notify', () => ({ notify: vi.fn() }));

const profile = () => unwrap(api.GET('/api/users/profiledata'));
const renewals = vi.fn();
const renewal = (expiresIn = 900) =>
  http.post('*/api/account/renew', () => {
    renewals();
    return HttpResponse.json({ accessToken: 'renewed', expiresIn });
  });
const echo = http.get('*/api/users/profiledata', ({ request }) => HttpResponse.json({ token: request.headers.get('Authorization') }));

beforeEach(() => {
  renewals.mockClear();
  setToken(null);
  handleRefusals(() => {});
  compareRenewals(async () => 'same');
});

test('concurrent calls without a token share one renewal (SES-R-207, SES-R-210)', async () => {
  server.use(renewal(), echo);
  const answers = await Promise.all([profile(), profile(), profile()]);
  expect(renewals).toHaveBeenCalledTimes(1);
  expect(answers).toEqual(Array(3).fill({ token: 'Bearer renewed' }));
});

test('a token within 60 seconds of its end is renewed before the call (SES-R-211)', async () => {
  server.use(renewal(), echo);
  setToken({ accessToken: 'old', expiresIn: 61 });
  expect(await profile()).toEqual({ token: 'Bearer old' });
  setToken({ accessToken: 'old', expiresIn: 60 });
  expect(isFresh()).toBe(false);
  expect(await profile()).toEqual({ token: 'Bearer renewed' });
});

test.each([
  ['answers with an error', () => new HttpResponse(null, { status: 503 })],
  ['cannot be reached', () => HttpResponse.error()],
])('a renewal that %s is logged and not shown, and the token is used to its end (SES-R-217)', async (_, answer) => {
  const logged = vi.spyOn(console, 'warn').mockReset().mockReturnValue();
  server.use(http.post('*/api/account/renew', answer), echo);
  setToken({ accessToken: 'old', expiresIn: 30 });
  expect(await Promise.all([profile(), profile()])).toEqual(Array(2).fill({ token: 'Bearer old' }));
  expect(logged).toHaveBeenCalledTimes(1);
  setToken({ accessToken: 'old', expiresIn: 0 });
  const failure = await profile().catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(NotRenewed);
  reportError(failure, 'The message was not saved.');
  expect(notify).toHaveBeenLastCalledWith('error', 'The message was not saved.');
});

test('without a session no call is sent', async () => {
  server.use(http.post('*/api/account/renew', () => new HttpResponse(null, { status: 401 })));
  await expect(profile()).rejects.toThrow(NotSignedIn);
});

test('calls started in one organization are not sent with a renewed token of another', async () => {
  const sent = vi.fn();
  server.use(
    renewal(),
    http.get('*/api/users/profiledata', () => {
      sent();
      return HttpResponse.json({});
    }),
  );
  compareRenewals(async () => 'other organization');
  await expect(Promise.all([profile(), profile()])).rejects.toThrow(SessionChanged);
  expect(sent).not.toHaveBeenCalled();
  await profile();
  expect(sent).toHaveBeenCalledTimes(1);
});

test('a renewed token of an unknown user is not used', async () => {
  server.use(renewal(), echo);
  compareRenewals(() => Promise.reject(new Error('no answer')));
  await expect(profile()).rejects.toThrow(NotRenewed);
  compareRenewals(async () => 'same');
  await profile();
  expect(renewals).toHaveBeenCalledTimes(2);
});

test('the cookie of another user gives no token before a sign-in', async () => {
  server.use(renewal(), echo);
  compareRenewals(async () => 'other person');
  await expect(profile()).rejects.toThrow(NotSignedIn);
  await expect(profile()).rejects.toThrow(NotSignedIn);
  expect(renewals).toHaveBeenCalledTimes(1);
  setToken({ accessToken: 'own', expiresIn: 900 });
  expect(await profile()).toEqual({ token: 'Bearer own' });
});

test('a renewal refused because of the IP address is no missing session, and every call is refused', async () => {
  const refused = vi.fn();
  handleRefusals(refused);
  const problem = { status: 403, message: 'Not from here.', reason: 'Address not allowed.' };
  server.use(http.post('*/api/account/renew', () => HttpResponse.json(problem, { status: 403 })));
  await expect(profile()).rejects.toMatchObject({ isAddressRefused: true });
  expect(refused).toHaveBeenCalledWith(expect.objectContaining({ message: 'Not from here.' }), '/api/account/renew');
});

test('signing out needs no token, so that it works from a refused IP address', async () => {
  server.use(
    renewal(),
    http.post('*/api/account/logout', () => new HttpResponse(null, { status: 204 })),
  );
  await unwrap(api.POST('/api/account/logout'));
  expect(renewals).not.toHaveBeenCalled();
});

test('a revoked token differs from other refusals, and a refused sign-in is neither', async () => {
  const refused = vi.fn();
  handleRefusals(refused);
  setToken({ accessToken: 'a', expiresIn: 900 });
  const answer = (status: number, body: object) =>
    HttpResponse.json(body, { status, headers: { 'content-type': 'application/problem+json' } });
  server.use(http.get('*/api/users/profiledata', () => answer(401, { reason: 'Token revoked or expired.' })));
  await expect(profile()).rejects.toMatchObject({ isRevoked: true, isRefused: false });
  server.use(http.get('*/api/users/profiledata', () => answer(403, { title: 'Forbidden' })));
  await expect(profile()).rejects.toMatchObject({ isRevoked: false, isRefused: true });
  expect(refused).toHaveBeenCalledTimes(2);
  server.use(http.post('*/api/account/login', () => answer(401, { message: 'The user name or password is incorrect.' })));
  await expect(unwrap(api.POST('/api/account/login', { body: { userName: 'a', password: 'b' } }))).rejects.toThrow(
    'The user name or password is incorrect.',
  );
  expect(refused).toHaveBeenCalledTimes(2);
});

test('empty and blank query values are not sent, false and 0 are (SES-R-279, SES-R-280)', async () => {
  setToken({ accessToken: 'a', expiresIn: 900 });
  let sent = '';
  server.use(
    http.get('*/api/messages', ({ request }) => {
      sent = new URL(request.url).search;
      return HttpResponse.json({ items: [], totalCount: 0 });
    }),
  );
  await unwrap(api.GET('/api/messages', { params: { query: { pageStart: 0, isDraft: false, filter: '  ', statuses: '' } } }));
  expect(sent).toBe('?pageStart=0&isDraft=false');
});

test('all messages of a problem are listed (SES-R-363)', () => {
  const error = new ApiError(422, {
    message: 'Please check.',
    modelState: { name: ['Name is required.'], zip: ['Zip is required.', 'Name is required.'] },
  });
  expect(error.messages).toEqual(['Name is required.', 'Zip is required.', 'Please check.']);
});
