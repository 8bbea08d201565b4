import { HttpResponse, http } from 'msw';
import { expect, test } from 'vitest';
import { setToken } from './api/token';
import { queryClient } from './app/session';
import { eulasAt } from './features/admin/eulas/api';
import { configurationQuery } from './features/admin/organizations/api';
import { Route as EulasRoute } from './routes/_app/admin.eulas';
import { Route as OrganizationsRoute } from './routes/_app/admin.organizations.index';
import { Route as OrganizationRoute } from './routes/_app/admin.organizations.$id.$tab';
import { paths } from './shared/paths';
import { server } from './test/setup';

test('the terms are loaded before their screen is shown (ADA-R-043)', async () => {
  setToken({ accessToken: 't', expiresIn: 900 });
  server.use(http.get('*/api/admin/eulas', () => HttpResponse.json({ items: [], totalCount: 0, totalIsCapped: false })));
  await (EulasRoute.options.loader as (context: object) => Promise<void>)({ location: { search: { size: 25 } } });
  expect(queryClient.getQueryData(eulasAt({ size: 25 }).queryKey)).toMatchObject({ items: [], totalCount: 0 });
});

test('whether there is API capture is known before the organizations are shown (ADA-R-044)', async () => {
  setToken({ accessToken: 't', expiresIn: 900 });
  server.use(http.get('*/api/configuration', () => HttpResponse.json({ apiCaptureEnabled: true })));
  await (OrganizationsRoute.options.loader as () => Promise<void>)();
  expect(queryClient.getQueryData(configurationQuery.queryKey)).toEqual({ apiCaptureEnabled: true });
});

test('each tab of an organization has its address; cq, efax and westfax lead to theirs, an unknown one to the first (ADA-S-014, ADA-R-046, ADA-R-048)', () => {
  const opened = (tab: string) => {
    try {
      OrganizationRoute.options.beforeLoad!({ params: { id: 'o', tab } } as never);
      return tab;
    } catch (redirect) {
      return (redirect as { options: { href: string } }).options.href;
    }
  };
  for (const tab of ['details', 'contact', 'direct', 'settings', 'serviceaccount', 'carequality', 'qhin', 'info', 'ipaddresses'])
    expect(opened(tab)).toBe(tab);
  expect(opened('cq')).toBe(paths.adminOrganization('o', 'carequality'));
  for (const fax of ['efax', 'westfax']) expect(opened(fax)).toBe(paths.adminOrganization('o', 'fax'));
  expect(opened('unknown')).toBe(paths.adminOrganization('o'));
  expect(opened('constructor')).toBe(paths.adminOrganization('o'));
});
