import { HttpResponse, http } from 'msw';
import { beforeEach, expect, test, vi } from 'vitest';
import { api, unwrap } from '@/api/client';
import { SessionChanged, setToken } from '@/api/token';
import { notify } from '@/shared/notify';
import { answer, refusal } from '@/test/answers';
import { brand, person } from '@/test/session';
import { server } from '@/test/setup';
import {
  featuresQuery,
  guard,
  onlySignedIn,
  profileQuery,
  queryClient,
  setNavigator,
  signOut,
  switchOrganization,
  toLanding,
  whyEnded,
} from './session';

vi.mock('@/shared/notify', () => ({ notify: vi.fn() }));

const profileOf = (organizationId: string) => ({
  userId: 'u',
  organizationId,
});
const failing = () => HttpResponse.error();
/** State of the server. */
let place = 'a';
const reload = vi.fn(async () => {});
const go = vi.fn();
const shown = () => queryClient.getQueryData(profileQuery.queryKey)?.organizationId;

beforeEach(() => {
  place = 'a';
  vi.clearAllMocks();
  setNavigator({ go, here: () => '/intake?view=unassigned', reload });
  queryClient.clear();
  queryClient.setQueryData([...profileQuery.queryKey], profileOf('a'));
  queryClient.setQueryData(featuresQuery.queryKey, ['OfA']);
  setToken({ accessToken: 't', expiresIn: 900 });
  server.use(
    http.post('*/api/account/renew', () => HttpResponse.json({ accessToken: 'renewed', expiresIn: 900 })),
    http.get('*/api/users/profiledata', () => HttpResponse.json(profileOf(place))),
  );
});

const changing = (answer: () => Response) =>
  http.post('*/api/account/change', () => {
    place = 'b';
    return answer();
  });
const save = () => unwrap(api.DELETE('/api/account/activationnotice'));

test('a switch shows the other organization, and nothing of the one before (MSG-R-009, MSG-R-228, MSG-R-229, MSG-R-231, SES-R-317, SES-R-318, SES-R-319, SES-R-320)', async () => {
  const asked = answer('post', '/api/account/change', () => {
    place = 'b';
    return { data: true } as never;
  });
  queryClient.setQueryData(['users'], ['somebody of a']);
  await switchOrganization('b');
  expect(asked.map((a) => a.body)).toEqual([{ orgId: 'b' }]);
  expect(shown()).toBe('b');
  expect(queryClient.getQueryData(['users'])).toBeUndefined();
  expect(queryClient.getQueryData(featuresQuery.queryKey)).toBeUndefined();
  expect(reload).toHaveBeenCalledTimes(1);
});

test('a switch that the server did not make restarts with the cookie (MSG-R-230, SES-R-321, SES-R-322)', async () => {
  const renewed = vi.fn();
  server.use(
    http.post('*/api/account/change', () => HttpResponse.json({ data: null })),
    http.post('*/api/account/renew', () => {
      renewed();
      return HttpResponse.json({ accessToken: 'renewed', expiresIn: 900 });
    }),
  );
  await switchOrganization('b');
  expect(renewed).toHaveBeenCalledTimes(1);
  expect(shown()).toBe('a');
  expect(reload).toHaveBeenCalledTimes(1);
});

test('a switch whose response is lost shows the organization that the server has', async () => {
  server.use(changing(failing));
  await expect(switchOrganization('b')).rejects.toThrow(TypeError);
  await vi.waitFor(() => expect(shown()).toBe('b'));
  await vi.waitFor(() => expect(reload).toHaveBeenCalledTimes(1));
});

test('after a switch with a lost answer nothing is saved in the other organization under the name of the one before', async () => {
  const logged = vi.spyOn(console, 'warn').mockReturnValue();
  const saved = vi.fn();
  server.use(
    changing(() => HttpResponse.json({ data: true })),
    http.delete('*/api/account/activationnotice', () => {
      saved(shown());
      return new HttpResponse(null, { status: 204 });
    }),
    http.get('*/api/users/profiledata', failing, { once: true }),
    // No renewal works while the network is away.
    http.post('*/api/account/renew', failing, { once: true }),
  );
  await expect(switchOrganization('b')).rejects.toThrow(TypeError);
  await vi.waitFor(() => expect(logged).toHaveBeenCalled());
  expect(shown()).toBe('a');
  await expect(save()).rejects.toThrow(SessionChanged);
  await vi.waitFor(() => expect(shown()).toBe('b'));
  await save();
  expect(saved.mock.calls).toEqual([['b']]);
});

test('a refused switch stays in the current organization', async () => {
  server.use(http.post('*/api/account/change', () => HttpResponse.json({ status: 422, message: 'No.' }, { status: 422 })));
  await expect(switchOrganization('b')).rejects.toThrow('No.');
  await unwrap(api.GET('/api/users/profiledata'));
  expect(shown()).toBe('a');
  expect(reload).not.toHaveBeenCalled();
});

test('who may not change over to an organization from here is told so and stays', async () => {
  const message = 'Your organization does not allow access from this network address.';
  refusal('post', '/api/account/change', 403, { message, reason: 'Address not allowed.' });
  await expect(switchOrganization('b')).rejects.toThrow(message);
  await unwrap(api.GET('/api/users/profiledata'));
  expect(shown()).toBe('a');
  expect(vi.mocked(notify).mock.calls).toEqual([['error', message]]);
  expect(go).not.toHaveBeenCalled();
});

// ── Who is refused ──

const people = [
  ['Administrator', '/account/dashboard', 'SES-R-032, SES-S-005, MSG-R-042, MSG-S-005'],
  ['User', '/intake', 'SES-R-030, SES-S-006, MSG-R-043'],
  ['SysAdmin', '/admin/dashboard/messaging', 'SES-R-031, SES-S-008, MSG-R-044, MSG-S-007'],
  ['SysAdminReporting', '/admin/dashboard/messaging', 'SES-R-297'],
] as const;
/** Somebody opens the application in a new tab. */
function arrive(roles = ['User']) {
  queryClient.clear();
  answer('get', '/api/users/profiledata', person({ roles }));
  answer('get', '/api/features', { features: [] });
  answer('get', '/api/attachments/extensions', { extensions: [] });
  answer('get', '/api/users/current', { ...person({ roles }), userPreferences: {} });
  answer('get', '/api/branding', brand);
}
/** Nobody is signed in in this browser. */
function arriveUnknown() {
  queryClient.clear();
  setToken(null);
  refusal('post', '/api/account/renew', 401);
}
const opening = (href: string, search = {}) => ({ location: { href, search } });
/** The target of a route's redirect. */
const ledTo = (run: Promise<unknown>) =>
  run.then(
    () => undefined,
    (thrown: unknown) => (thrown as { options?: { href?: string } }).options?.href ?? String(thrown),
  );
const kept = (key: string) => sessionStorage.getItem(`carepost.${key}`);
const intake = () => unwrap(api.POST('/api/intake', { body: {} }));

test('without a session a screen leads to the sign-in, which remembers it (SES-R-039, SES-R-041, SES-R-212, SES-R-372, SES-R-373, SES-S-001, MSG-S-008)', async () => {
  arriveUnknown();
  expect(await ledTo(guard()(opening('/intake?view=unassigned')))).toBe('/account/login');
  expect(kept('redirectUrl')).toBe('/intake?view=unassigned');
});

test('a connection in the address leads to its own sign-in page (SES-S-002, SES-R-040)', async () => {
  arriveUnknown();
  expect(await ledTo(guard()(opening('/intake?ssoConnection=Acme', { ssoConnection: 'Acme' })))).toBe('/account/login/acme');
  expect(kept('ssoConnection')).toBe('acme');
});

test('a screen that tells what somebody may not is for people who are signed in', async () => {
  arriveUnknown();
  expect(await ledTo(onlySignedIn())).toBe('/account/login');
  arrive();
  setToken({ accessToken: 't', expiresIn: 900 });
  expect(await ledTo(onlySignedIn())).toBeUndefined();
});

test.each(people)(
  'the start page of the role %s is %s, from every address that is none (SES-R-034, SES-R-037, SES-S-021, SES-S-026, %s)',
  async (role, landing) => {
    arrive([role]);
    expect(await ledTo(toLanding()(opening('/')))).toBe(landing);
    expect(await ledTo(toLanding({ storedFirst: true })(opening('/no/such/page')))).toBe(landing);
    expect(kept('ProfileData')).toContain('"userId":"u"');
  },
);

test('an unknown path leads to the place that is remembered, once; the console leads to the start page (SES-R-035, SES-R-036, SES-S-007)', async () => {
  arrive(['Administrator']);
  sessionStorage.setItem('carepost.redirectUrl', '/release?view=drafts');
  expect(await ledTo(toLanding()(opening('/admin')))).toBe('/account/dashboard');
  expect(await ledTo(toLanding({ storedFirst: true })(opening('/no/such/place')))).toBe('/release?view=drafts');
  expect(kept('redirectUrl')).toBeNull();
});

test('a screen renews a token that is missing, and loads the preferences of the person (SES-R-012, SES-R-013, SES-S-023, MSG-R-034)', async () => {
  arrive();
  setToken(null);
  const preferences = answer('get', '/api/users/current', { ...person(), userPreferences: {} });
  const renewed = answer('post', '/api/account/renew', { accessToken: 'renewed', expiresIn: 900 });
  expect(await ledTo(guard()(opening('/intake')))).toBeUndefined();
  expect([renewed.length, preferences.length]).toEqual([1, 1]);
});

test('a screen of other roles leads to the page that says so, or home (SES-R-038, SES-R-055, MSG-R-049)', async () => {
  arrive();
  expect(await ledTo(guard({ roles: ['SysAdmin'] })(opening('/admin/users')))).toBe('/unauthorized');
  expect(await ledTo(guard({ landingRoles: ['Administrator'] })(opening('/account/dashboard')))).toBe('/intake');
  expect(await ledTo(guard({ roles: ['User'] })(opening('/intake')))).toBeUndefined();
});

test.each([401, 403])(
  'a revoked token (%i) ends the session without a toast, and the place is remembered (MSG-R-259, SES-R-213, SES-R-214)',
  async (status) => {
    arrive();
    await guard()(opening('/intake'));
    refusal('post', '/api/intake', status, { reason: 'Token revoked or expired.' });
    await expect(intake()).rejects.toMatchObject({ isRevoked: true });
    expect(go.mock.calls).toEqual([['/account/login']]);
    expect(kept('redirectUrl')).toBe('/intake?view=unassigned');
    expect(shown()).toBeUndefined();
    expect(whyEnded()).toBe('Your session has ended.');
    expect(notify).not.toHaveBeenCalled();
  },
);

test.each([401, 403])(
  'any other refusal (%i) is told, and what was refused leads nowhere else (MSG-R-260, MSG-T-106, SES-R-215, SES-T-079)',
  async (status) => {
    arrive();
    await guard()(opening('/intake'));
    refusal('post', '/api/intake', status);
    await expect(intake()).rejects.toMatchObject({ isRefused: true });
    expect(vi.mocked(notify).mock.calls).toEqual([['error', 'You are not authorized to view this resource.']]);
    expect(go).not.toHaveBeenCalled();
  },
);

test('what a page consists of leads to the page that says so when it is refused (MSG-R-261, SES-R-216, SES-S-010, MSG-S-009)', async () => {
  arrive();
  await guard()(opening('/intake'));
  refusal('post', '/api/intake', 403);
  await queryClient.fetchQuery({ queryKey: ['intake'], queryFn: intake, retry: false, meta: { page: true } }).catch(() => {});
  await vi.waitFor(() => expect(go.mock.calls).toEqual([['/unauthorized']]));
});

const ADDRESS = { message: 'Not from here.', reason: 'Address not allowed.' };

test('whose address is not allowed any more is led to the page that says so, by a call and by a reload (SES-S-011)', async () => {
  arrive();
  await guard()(opening('/intake'));
  refusal('post', '/api/intake', 403, ADDRESS);
  await expect(intake()).rejects.toMatchObject({ isAddressRefused: true });
  expect(go.mock.calls).toEqual([['/access-denied']]);
  queryClient.clear();
  setToken(null);
  refusal('post', '/api/account/renew', 403, ADDRESS);
  expect(await ledTo(guard()(opening('/intake')))).toBe('/access-denied');
});

test('who signs out leaves nothing behind but the brand', async () => {
  arrive();
  await guard()(opening('/intake'));
  queryClient.setQueryData(['intake'], ['a message']);
  const ended = answer('post', '/api/account/logout', null);
  await signOut();
  expect(ended).toHaveLength(1);
  expect([shown(), queryClient.getQueryData(['intake'])]).toEqual([undefined, undefined]);
  refusal('post', '/api/account/renew', 401);
  expect(await ledTo(guard()(opening('/intake')))).toBe('/account/login');
});
