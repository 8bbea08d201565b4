import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';
import { setToken } from '@/api/token';
import type { ConnectedSystem } from '@/api/types';
import { answer } from '@/test/answers';
import { renderScreen } from '@/test/render';
import { IntegrationsPage } from './IntegrationsPage';

const system = (over: Partial<ConnectedSystem> = {}): ConnectedSystem => ({
  id: 'c-1',
  organizationId: 'o-1',
  organizationName: 'Summit Orthopedics',
  integrationType: 'Hl7',
  name: 'Summit Chart',
  isActive: true,
  baseUrl: 'mllps://ehr.summit.example:2575',
  software: 'HL7 v2',
  failingSince: '2026-11-20T09:12:00Z',
  problem: 'It does not answer.',
  remedy: 'Please check the address.',
  nextTryAt: '2026-11-20T10:36:00Z',
  waiting: 7,
  failed: 2,
  ...over,
});

beforeEach(() => setToken({ accessToken: 't', expiresIn: 900 }));

test('operators see what organizations have connected, with what fails and what to do about it', async () => {
  const fine = system({
    id: 'c-2',
    name: 'Referral desk',
    integrationType: 'WebService',
    failingSince: null,
    problem: '',
    remedy: '',
    nextTryAt: null,
    answeredAt: '2026-11-20T09:00:00Z',
    answerMilliseconds: 132,
    waiting: 0,
    failed: 0,
  });
  const off = system({ id: 'c-3', name: 'Old', isActive: false, failingSince: null });
  const asked = answer('get', '/api/admin/integrations/connections', { items: [system(), fine, off], totalCount: 3, totalIsCapped: false });
  const router = renderScreen(<IntegrationsPage tab="connections" />, '/?kind=Hl7');
  const rowOf = async (name: string) => (await screen.findByText(name)).closest('tr')!;
  const failing = await rowOf('Summit Chart');
  expect(within(failing).getByRole('link', { name: 'Summit Orthopedics' })).toHaveAttribute('href', '/admin/organizations/o-1/details');
  expect(failing).toHaveTextContent(/Summit ChartEHR \(HL7 v2\)Failing since .*It does not answer\. Please check the address\./);
  expect(await rowOf('Referral desk')).toHaveTextContent(/Referral deskWeb serviceConnectedLast answer .* in 132 ms/);
  expect(await rowOf('Old')).toHaveTextContent('Off');
  await userEvent.click(screen.getByRole('switch', { name: 'Only failing' }));
  await waitFor(() => expect(asked.at(-1)!.query.get('failing')).toBe('true'));
  expect(asked.at(-1)!.query.get('integrationType')).toBe('Hl7');
  await userEvent.click(screen.getByRole('tab', { name: 'Whitelist' }));
  expect(router.state.location.pathname).toBe('/admin/integrationswhitelist');
});
