import { screen, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { expect, test, vi } from 'vitest';
import type { NetworkFeature } from '@/api/types';
import { renderApp } from '@/test/render';
import { server } from '@/test/setup';
import { hasNetworkFeatures, NetworkFeatures } from './networkFeatures';

const person = vi.hoisted(() => ({ administerOfNetworkObjectId: null as string | null }));
vi.mock('./session', () => ({ useProfile: () => person }));
vi.mock('@/api/token', () => ({ freshToken: async () => 'token' }));

const feature = (name: string, isEnabled: boolean, childNetworkFeatures: NetworkFeature[] = []) => ({
  name,
  isEnabled,
  childNetworkFeatures,
});
const features = [
  feature('SingleSignOn', true, [feature('PointClickCareIdentityProvider', true, [feature('Deeper', true)]), feature('Other', false)]),
  feature('Closed', false),
];

test('every required feature must be enabled, child features counting (SES-R-307, SES-R-308)', () => {
  expect(hasNetworkFeatures(features, ['SingleSignOn'])).toBe(true);
  expect(hasNetworkFeatures(features, ['PointClickCareIdentityProvider', 'Deeper'])).toBe(true);
  expect(hasNetworkFeatures(features, ['SingleSignOn', 'Other'])).toBe(false);
  expect(hasNetworkFeatures(features, ['Closed'])).toBe(false);
  expect(hasNetworkFeatures(features, ['NeverHeardOf'])).toBe(false);
  expect(hasNetworkFeatures([], ['SingleSignOn'])).toBe(false);
  expect(hasNetworkFeatures(features, [])).toBe(true);
});

function answering() {
  const requested = vi.fn();
  server.use(
    http.get('*/api/networks/:id/features', ({ params }) => {
      requested(params.id);
      return HttpResponse.json({ features });
    }),
  );
  return requested;
}
const both = (
  <>
    <NetworkFeatures required={['PointClickCareIdentityProvider']}>shown</NetworkFeatures>
    <NetworkFeatures required={['PointClickCareIdentityProvider', 'Closed']}>hidden</NetworkFeatures>
  </>
);

test('an administrator of a network sees what its features allow, loaded once per network (SES-S-071, SES-R-309)', async () => {
  person.administerOfNetworkObjectId = 'n1';
  const requested = answering();
  renderApp(both);
  expect(await screen.findByText('shown')).toBeInTheDocument();
  expect(screen.queryByText('hidden')).not.toBeInTheDocument();
  expect(requested.mock.calls).toEqual([['n1']]);
});

test('others see nothing of it, and nothing is loaded', async () => {
  person.administerOfNetworkObjectId = null;
  const requested = answering();
  renderApp(both);
  await waitFor(() => expect(screen.queryByText('shown')).not.toBeInTheDocument());
  expect(requested).not.toHaveBeenCalled();
});
