import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { expect, test } from 'vitest';
import { setToken } from '@/api/token';
import { renderScreen } from '@/test/render';
import { server } from '@/test/setup';
import { OrganizationsPage } from './OrganizationsPage';

const row = { id: 'o', name: 'Larkfield', subDomain: 'larkfield', isActivated: true, apiCapture: false };

test.each([true, false])('API capture is offered where the configuration says so: %s (ADA-R-054, ADA-R-064)', async (apiCaptureEnabled) => {
  setToken({ accessToken: 't', expiresIn: 900 });
  server.use(
    http.get('*/api/configuration', () => HttpResponse.json({ apiCaptureEnabled })),
    http.get('*/api/organizations', () => HttpResponse.json({ items: [row], totalCount: 1, totalIsCapped: false })),
  );
  renderScreen(<OrganizationsPage />);
  await userEvent.click(await screen.findByRole('button', { name: 'Actions for Larkfield' }));
  await screen.findByRole('menuitem', { name: 'Edit' });
  const shown = apiCaptureEnabled ? 1 : 0;
  await expect.poll(() => screen.queryAllByRole('menuitem', { name: 'Start API Capture' }).length).toBe(shown);
  expect(screen.queryAllByRole('columnheader', { name: 'API capture', hidden: true })).toHaveLength(shown);
});
