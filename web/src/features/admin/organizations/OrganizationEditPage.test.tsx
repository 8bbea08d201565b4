import { screen } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { expect, test } from 'vitest';
import { setToken } from '@/api/token';
import { renderScreen } from '@/test/render';
import { server } from '@/test/setup';
import { OrganizationEditPage } from './OrganizationEditPage';

const organization = { id: 'o', name: 'Larkfield', activationStatus: 'Activated', isEnabled: true, enabledFeatures: ['DirectInterface'] };
const feature = { name: 'DirectInterface', enabled: true, isOrganizationFeature: true };

test.each([
  ['off', { enabled: false }, [], 0],
  ['on for all', { isOrganizationFeature: false }, [], 1],
  ['on for others', {}, [], 0],
  ['on for it', {}, organization.enabledFeatures, 1],
])('the tab Direct stands where its feature is %s (ADA-R-074)', async (_what, change, enabledFeatures, count) => {
  setToken({ accessToken: 't', expiresIn: 900 });
  server.use(
    http.get('*/api/organizations/o', () => HttpResponse.json({ ...organization, enabledFeatures })),
    http.get('*/api/admin/features', () => HttpResponse.json({ items: [{ ...feature, ...change }], totalCount: 1, totalIsCapped: false })),
    // Of the tab that is open nothing is needed.
    http.get('*/api/account/settings/security', () => new Promise(() => {})),
  );
  renderScreen(<OrganizationEditPage id="o" tab="ipaddresses" />);
  expect(await screen.findByRole('tab', { name: 'QHIN' })).toBeInTheDocument();
  await expect.poll(() => screen.queryAllByRole('tab', { name: 'Direct' }).length).toBe(count);
});
