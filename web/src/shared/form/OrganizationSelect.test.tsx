import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { expect, test } from 'vitest';
import { setToken } from '@/api/token';
import { renderApp } from '@/test/render';
import { server } from '@/test/setup';
import { OrganizationSelect } from './OrganizationSelect';

test('organizations are searched from two letters on, 300 ms after the last one (ADA-S-066, ADA-R-263, ADA-R-264, ADB-R-252)', async () => {
  setToken({ accessToken: 't', expiresIn: 900 });
  const asked: { words: string | null; at: number }[] = [];
  server.use(
    http.get('*/api/organizations', ({ request }) => {
      asked.push({ words: new URL(request.url).searchParams.get('search'), at: performance.now() });
      return HttpResponse.json({ items: [{ id: 'o', name: 'Larkfield', subDomain: 'larkfield' }], totalCount: 1, totalIsCapped: false });
    }),
  );
  renderApp(<OrganizationSelect label="Organization" value={null} onChange={() => {}} />);
  const field = screen.getByRole('combobox', { name: /^Organization/ });
  await userEvent.type(field, 'l');
  await new Promise((over) => setTimeout(over, 500));
  expect(asked).toEqual([]);
  await userEvent.type(field, 'ark');
  const typed = performance.now();
  expect(await screen.findByRole('option', { name: 'Larkfield (larkfield)', hidden: true })).toBeInTheDocument();
  expect(asked.map(({ words }) => words)).toEqual(['lark']);
  expect(asked[0]!.at - typed).toBeGreaterThan(200);
});
