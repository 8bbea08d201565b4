import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { beforeEach, expect, test } from 'vitest';
import { setToken } from '@/api/token';
import { PAGE_SIZES } from '@/shared/table/listSearch';
import { answer } from '@/test/answers';
import { renderScreen } from '@/test/render';
import { server } from '@/test/setup';
import { EulasPage } from './EulasPage';

let asked: { search: string | null; size: string | null; at: number }[];
const brand = { id: 'b', name: 'Carepost' };
const eula = (n: number) => ({ id: String(n), type: 'EULA', brand, version: String(n), active: false, totalUsers: 0 });

beforeEach(() => {
  asked = [];
  setToken({ accessToken: 't', expiresIn: 900 });
  server.use(
    http.get('*/api/admin/eulas/brands', () => HttpResponse.json({ items: [brand] })),
    http.get('*/api/admin/eulas', ({ request }) => {
      const query = new URL(request.url).searchParams;
      asked.push({ search: query.get('search'), size: query.get('pageSize'), at: performance.now() });
      return HttpResponse.json({ items: Array.from({ length: 10 }, (_, n) => eula(n)), totalCount: 95, totalIsCapped: false });
    }),
  );
});

test('the pager has four page links, and a search waits 300 ms after the last key (ADA-S-065, ADA-R-166, ADA-R-167)', async () => {
  renderScreen(<EulasPage />);
  expect(await screen.findAllByRole('button', { name: /^Page \d+$/ })).toHaveLength(4);
  const before = asked.length;
  await userEvent.type(screen.getByLabelText('Search EULAs'), '2.1');
  const typed = performance.now();
  await waitFor(() => expect(asked.at(-1)!.search).toBe('2.1'));
  expect(asked).toHaveLength(before + 1);
  expect(asked.at(-1)!.at - typed).toBeGreaterThan(200);
});

test('a page size of the shared list is asked for after 300 ms (ADA-R-165, ADA-R-168)', async () => {
  renderScreen(<EulasPage />);
  const sizes = await screen.findByRole('combobox', { name: 'Rows per page' });
  expect(
    within(sizes)
      .getAllByRole('option')
      .map((o) => Number(o.textContent)),
  ).toEqual(PAGE_SIZES);
  const before = asked.length;
  await userEvent.selectOptions(sizes, '50');
  await userEvent.selectOptions(sizes, '25');
  const chosen = performance.now();
  await waitFor(() => expect(asked.at(-1)!.size).toBe('25'));
  expect(asked).toHaveLength(before + 1);
  expect(asked.at(-1)!.at - chosen).toBeGreaterThan(200);
});

test('terms that are no HTML file, or have no version, are not uploaded (ADA-R-314, ADA-S-058)', async () => {
  const uploaded = answer('post', '/api/admin/eulas', eula(1) as never);
  renderScreen(<EulasPage />);
  await userEvent.click(await screen.findByRole('button', { name: 'Create' }));
  const form = await screen.findByRole('dialog', { name: 'New EULA' });
  const file = new File(['%PDF-1.7'], 'terms.pdf', { type: 'application/pdf' });
  fireEvent.change(form.querySelector('input[type="file"]')!, { target: { files: [file] } });
  await userEvent.click(within(form).getByRole('button', { name: 'Create' }));
  expect(await within(form).findByText('You must select a html file.')).toBeInTheDocument();
  expect(within(form).getByRole('alert')).toHaveTextContent('There are invalid fields on this page.');
  expect(within(form).getByText('Please enter a number of at most 10 characters, such as 2.1.')).toBeInTheDocument();
  expect(uploaded).toEqual([]);
});
