import { HttpResponse, http } from 'msw';
import { beforeEach, expect, test, vi } from 'vitest';
import { api, unwrap } from '@/api/client';
import { SessionChanged, setToken } from '@/api/token';
import { server } from '@/test/setup';
import { featuresQuery, profileQuery, queryClient, setNavigator, switchOrganization } from './session';

vi.mock('@/shared/notify', () => ({ notify: vi.fn() }));

const profileOf = (organizationId: string) => ({
  userId: 'u',
  organizationId,
});
const failing = () => HttpResponse.error();
/** Where the server is. */
let place = 'a';
const reload = vi.fn(async () => {});
const shown = () => queryClient.getQueryData(profileQuery.queryKey)?.organizationId;

beforeEach(() => {
  place = 'a';
  reload.mockClear();
  setNavigator({ go: () => {}, here: () => '/', reload });
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

test('a switch shows the other organization, and nothing of the one before (MSG-R-231, SES-R-318)', async () => {
  server.use(changing(() => HttpResponse.json({ data: true })));
  queryClient.setQueryData(['users'], ['somebody of a']);
  await switchOrganization('b');
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
