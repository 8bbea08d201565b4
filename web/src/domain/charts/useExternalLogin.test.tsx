import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { IconUserSearch } from '@tabler/icons-react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type { ChartConnection } from '@/api/types';
import { answer, refusal } from '@/test/answers';
import { connected, patientsFound } from '@/test/charts';
import { renderApp } from '@/test/render';
import { api, unwrap } from '@/api/client';
import { ChartButton } from './ChartButton';
import { useChart } from './useChart';

const FAILED =
  'Error logging in to the External site. This can happen if the external login website was closed too quickly. Please wait for the window to close automatically or you are shown it is now safe to close. If the problem persists, please contact support.';

let popup: { closed: boolean; opener: unknown; location: { href: string }; close: () => void };
beforeEach(() => {
  setToken({ accessToken: 't', expiresIn: 900 });
  vi.useFakeTimers({ shouldAdvanceTime: true, now: new Date('2026-11-20T09:00:00Z') });
  popup = { closed: false, opener: window, location: { href: '' }, close: vi.fn() };
  vi.spyOn(window, 'open').mockReturnValue(popup as unknown as Window);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function Screen({ run }: { run: () => unknown }) {
  const at = useChart().connection('patientLookup');
  return at ? (
    <ChartButton connection={at} icon={IconUserSearch} onClick={run}>
      Find in chart
    </ChartButton>
  ) : (
    <p>No chart</p>
  );
}
function show(over: Partial<ChartConnection> = {}, run: () => unknown = vi.fn()) {
  const types = connected(over);
  renderApp(<Screen run={run} />);
  return { types, run };
}
const begins = () =>
  answer('get', '/api/integrations/externallogin', {
    url: 'https://ehr.example/sign-in',
    state: 's',
    integrationId: 'ehr',
    name: 'Maple Street EHR',
  });
const checked = (isSignedIn: boolean) => answer('post', '/api/integrations/checkstate', { isSignedIn, hasFailed: false });
const find = async () => userEvent.click(await screen.findByRole('button', { name: 'Find in chart' }));
const signIn = async () => userEvent.click(await screen.findByRole('button', { name: 'Sign in' }));
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const login = () => screen.findByRole('dialog', { name: 'Maple Street EHR Login' });

test('somebody who has to sign in first is asked, and does so in another window (MSG-R-221, MSG-R-222, MSG-R-223, MSG-R-226, MSG-S-042, MSG-T-120)', async () => {
  const begun = begins();
  const asked = checked(true);
  const { types, run } = show({ needsLogin: true });
  await find();
  expect(await login()).toHaveTextContent('You must sign in to proceed');
  expect(run).not.toHaveBeenCalled();
  await signIn();
  expect(window.open).toHaveBeenCalledWith('about:blank', '_blank', expect.any(String));
  await waitFor(() => expect(popup.location.href).toBe('https://ehr.example/sign-in'));
  expect(popup.opener).toBeNull();
  expect(begun[0]!.query.get('integrationId')).toBe('ehr');
  await pass(5000);
  expect(asked).toHaveLength(0);
  popup.closed = true;
  await pass(1000);
  await waitFor(() => expect(run).toHaveBeenCalledOnce());
  expect(asked.map(({ body }) => body)).toEqual([{ state: 's', integrationType: 'Fhir' }]);
  expect(types.length).toBeGreaterThan(1);
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('a window that stays open is looked at 60 times (MSG-R-224)', async () => {
  begins();
  const asked = checked(false);
  show({ needsLogin: true });
  await find();
  await signIn();
  await waitFor(() => expect(popup.location.href).not.toBe(''));
  await pass(58_000);
  expect(asked).toHaveLength(0);
  await pass(3000);
  expect(asked).toHaveLength(1);
});

test('a sign-in that did not succeed is said, and can be tried again (MSG-R-227, MSG-T-112)', async () => {
  begins();
  checked(false);
  const { run } = show({ needsLogin: true });
  await find();
  await signIn();
  popup.closed = true;
  await pass(2000);
  expect(await screen.findByText(FAILED)).toBeInTheDocument();
  expect(run).not.toHaveBeenCalled();
  await waitFor(() => expect(screen.getByRole('button', { name: 'Sign in' })).toBeEnabled());
});

test('a blocked window is said, and nothing is begun', async () => {
  vi.mocked(window.open).mockReturnValue(null);
  const begun = begins();
  show({ needsLogin: true });
  await find();
  await signIn();
  expect(await screen.findByText(/The browser has blocked the window\./)).toBeInTheDocument();
  expect(begun).toHaveLength(0);
});

test('a call that is refused for want of a sign-in asks for it, and runs again afterwards (MSG-R-221)', async () => {
  begins();
  checked(true);
  refusal('post', '/api/integrations/patients', 409, { reason: 'LoginRequired', message: 'Please sign in to Maple Street EHR first.' });
  show({}, () => unwrap(api.POST('/api/integrations/patients', { body: {} })));
  await find();
  await login();
  const asked = answer('post', '/api/integrations/patients', patientsFound([]));
  await signIn();
  popup.closed = true;
  await pass(2000);
  await waitFor(() => expect(asked).toHaveLength(1));
});

test('without a connection that can do it there is no button', async () => {
  show({ capabilities: ['visitLookup'] });
  expect(await screen.findByText('No chart')).toBeInTheDocument();
});

test('a paused connection says when it is tried next, and is looked at again every minute', async () => {
  const nextTryAt = new Date('2026-11-20T09:17:00Z');
  const time = nextTryAt.toLocaleTimeString('en-US', { hour: 'numeric', minute: '2-digit' });
  const { types } = show({ state: 'Failing', nextTryAt: nextTryAt.toISOString() });
  expect(await screen.findByRole('status')).toHaveTextContent(`Maple Street EHR is not available. Next try at ${time}.`);
  expect(screen.getByRole('button', { name: 'Find in chart' })).toBeDisabled();
  connected();
  await pass(61_000);
  await waitFor(() => expect(screen.getByRole('button', { name: 'Find in chart' })).toBeEnabled());
  expect(types).toHaveLength(1);
});
