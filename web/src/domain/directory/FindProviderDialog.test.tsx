import { fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { beforeEach, expect, test } from 'vitest';
import { setToken } from '@/api/token';
import type { DirectoryResult } from '@/api/types';
import { renderApp } from '@/test/render';
import { server } from '@/test/setup';
import { FindProviderDialog } from './FindProviderDialog';

type SearchBody = { city: string; providerPageStart: number; organizationPageStart: number };
let searches: SearchBody[] = [];
let fails: (search: SearchBody) => boolean = () => false;
let totals = 3;

const entry = (lastName: string): DirectoryResult => ({
  directAddress: '',
  organizationName: 'Practice',
  firstName: '',
  lastName,
  middleName: '',
  clinicName: '',
  phonePrimary: '',
  fax: '',
  standardizedAddressLine1: '',
  standardizedCity: '',
  standardizedState: '',
  standardizedZip: '',
});

beforeEach(() => {
  searches = [];
  fails = () => false;
  totals = 3;
  setToken({ accessToken: 't', expiresIn: 900 });
  server.use(
    http.get('*/api/users/profiledata', () => HttpResponse.json({ userId: 'u', roles: ['User'], organizations: [] })),
    http.post('*/api/directory/search', async ({ request }) => {
      const body = (await request.json()) as SearchBody;
      searches.push(body);
      if (fails(body)) return HttpResponse.json({ message: 'Not now.' }, { status: 503 });
      return HttpResponse.json({
        providers: [entry(`${body.city} ${body.providerPageStart}`)],
        totalProvidersCount: totals,
        organizations: [entry(`Practice ${body.organizationPageStart}`)],
        totalOrganizationsCount: totals,
      });
    }),
  );
});

const searchFor = async (city: string) => {
  const field = screen.getByRole('textbox', { name: 'City' });
  await userEvent.clear(field);
  await userEvent.type(field, `${city}{Enter}`);
};
const scroll = () => fireEvent.scroll(screen.getByRole('region', { name: 'Providers' }));
const names = () =>
  screen
    .getAllByRole('row')
    .slice(1)
    .map((row) => row.querySelector('.cp-strong')!.textContent);

test('after a failed search the current list still loads pages of its own search', async () => {
  renderApp(<FindProviderDialog onClose={() => {}} />);
  await searchFor('Akron');
  expect(await screen.findByText('Akron 1')).toBeInTheDocument();
  fails = ({ city }) => city === 'Bellaire';
  await searchFor('Bellaire');
  expect(await screen.findByText('Not now.')).toBeInTheDocument();
  scroll();
  expect(await screen.findByText('Akron 2')).toBeInTheDocument();
  expect(names()).toEqual(['Akron 1', 'Akron 2']);
  expect(searches.at(-1)).toMatchObject({ city: 'Akron', providerPageStart: 2 });
});

test('a failure to load more is shown at that list, until a new search', async () => {
  const stuck = () => screen.queryByRole('button', { name: 'More could not be loaded. Try again' });
  renderApp(<FindProviderDialog onClose={() => {}} />);
  await searchFor('Akron');
  await screen.findByText('Akron 1');
  fails = ({ providerPageStart }) => providerPageStart > 1;
  scroll();
  await waitFor(() => expect(stuck()).toBeInTheDocument());
  await userEvent.click(screen.getByRole('tab', { name: /^Organizations/ }));
  expect(stuck()).toBeNull();
  await userEvent.click(screen.getByRole('tab', { name: /^Providers/ }));
  expect(stuck()).toBeInTheDocument();
  await searchFor('Bellaire');
  expect(await screen.findByText('Bellaire 1')).toBeInTheDocument();
  expect(stuck()).toBeNull();
});

test('the tabs count what was found, up to 99 (SES-R-154, SES-R-175, SES-T-025)', async () => {
  renderApp(<FindProviderDialog onClose={() => {}} />);
  totals = 99;
  await searchFor('Akron');
  expect(await screen.findByRole('tab', { name: 'Providers (99)' })).toBeInTheDocument();
  totals = 1234;
  await searchFor('Bellaire');
  expect(await screen.findByRole('tab', { name: 'Providers (99+)' })).toBeInTheDocument();
  expect(screen.getByRole('tab', { name: 'Organizations (99+)' })).toBeInTheDocument();
});

test('a new search begins with the first page of both lists (SES-R-170)', async () => {
  renderApp(<FindProviderDialog onClose={() => {}} />);
  await searchFor('Akron');
  await screen.findByText('Akron 1');
  scroll();
  await screen.findByText('Akron 2');
  await searchFor('Bellaire');
  expect(await screen.findByText('Bellaire 1')).toBeInTheDocument();
  expect(names()).toEqual(['Bellaire 1']);
  expect(searches.at(-1)).toMatchObject({ providerPageStart: 1, organizationPageStart: 1 });
});
