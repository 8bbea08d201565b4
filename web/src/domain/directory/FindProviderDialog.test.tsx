import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type { DirectoryResult } from '@/api/types';
import { answer } from '@/test/answers';
import { renderApp } from '@/test/render';
import { server } from '@/test/setup';
import { FindProviderDialog } from './FindProviderDialog';

type SearchBody = { city: string; providerPageStart: number; organizationPageStart: number };
let searches: SearchBody[] = [];
let fails: (search: SearchBody) => boolean = () => false;
let totals = 3;

const entry = (lastName: string, over: Partial<DirectoryResult> = {}): DirectoryResult => ({
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
  ...over,
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

const found = (providers: DirectoryResult[], organizations: DirectoryResult[] = []) =>
  answer('post', '/api/directory/search', {
    providers,
    totalProvidersCount: providers.length,
    organizations,
    totalOrganizationsCount: organizations.length,
  });
const JUN = entry('Aldersey', {
  directAddress: 'jm.aldersey@trivalley.direct.example',
  firstName: 'Jun',
  middleName: 'M',
  clinicName: 'Tri-Valley Cardiology',
  phonePrimary: '7405550185',
  fax: '7405550188',
  standardizedAddressLine1: '2200 Cedar Hollow Rd, Suite 310',
  standardizedCity: 'Larkfield',
  standardizedState: 'OH',
  standardizedZip: '43999',
});
const PETRA = entry('Aldous', { firstName: 'Petra' });
const rowOf = (name: string) => screen.getByText(name).closest('tr')!;

test('people and organizations are looked for by names and place, the state by its code, ten at a time (SES-C-073, SES-S-046, SES-S-053, SES-S-054, SES-T-022, SES-R-148, SES-R-149, SES-R-150, SES-R-173, SES-R-174)', async () => {
  const asked = found([]);
  renderApp(<FindProviderDialog onClose={() => {}} />);
  const fill = (name: string, value: string) => fireEvent.change(screen.getByRole('textbox', { name }), { target: { value } });
  fill('Provider first name', 'ju');
  fill('Provider last name', 'ald');
  fill('Organization name', 'tri');
  fill('City', 'lark');
  const state = screen.getByRole('combobox', { name: 'State' });
  await userEvent.type(state, 'armed');
  expect(await screen.findByRole('option', { name: 'Armed Forces Americas' })).toBeInTheDocument();
  await userEvent.clear(state);
  await userEvent.type(state, 'ohi');
  await userEvent.tab();
  expect(state).toHaveValue('Ohio');
  await userEvent.type(screen.getByRole('textbox', { name: 'Zip' }), '4a3999');
  expect(screen.getByRole('textbox', { name: 'Zip' })).toHaveValue('43999');
  await userEvent.click(screen.getByRole('button', { name: 'Search' }));
  await waitFor(() => expect(asked).toHaveLength(1));
  expect(asked[0]!.body).toEqual({
    firstName: 'ju',
    lastName: 'ald',
    organizationName: 'tri',
    city: 'lark',
    state: 'OH',
    zip: '43999',
    providerPageStart: 1,
    organizationPageStart: 1,
    pageSize: 10,
  });
});

test('a search needs a field, and its button waits for the answer (SES-R-151, SES-R-152, SES-R-169)', async () => {
  let release = () => {};
  const asked = answer('post', '/api/directory/search', async () => {
    await new Promise<void>((done) => (release = done));
    return { providers: [JUN], totalProvidersCount: 1, organizations: [], totalOrganizationsCount: 0 };
  });
  renderApp(<FindProviderDialog onClose={() => {}} />);
  const search = screen.getByRole('button', { name: 'Search' });
  await userEvent.click(search);
  expect(screen.getByRole('textbox', { name: 'Provider first name' })).toHaveFocus();
  await searchFor('   ');
  expect(search).toBeEnabled();
  await searchFor('bell');
  expect(search).toBeDisabled();
  expect(search).toHaveAttribute('data-loading');
  await userEvent.keyboard('{Enter}');
  await waitFor(() => expect(asked).toHaveLength(1));
  release();
  expect(await screen.findByText('Aldersey, Jun M')).toBeInTheDocument();
  expect(search).toBeEnabled();
  expect(asked.map(({ body }) => body.city)).toEqual(['bell']);
});

test('of a person the name, Direct address, clinic, place and numbers are told (SES-S-047, SES-S-050, SES-S-051, SES-S-052, SES-T-023, SES-T-024, SES-T-026, SES-T-027, SES-T-028, SES-T-029, SES-T-030, SES-R-153, SES-R-155, SES-R-156, SES-R-157, SES-R-159, SES-R-160, SES-R-161, SES-R-162, SES-R-166)', async () => {
  found([JUN, PETRA]);
  renderApp(<FindProviderDialog onClose={() => {}} />);
  await searchFor('Larkfield');
  expect(await screen.findByRole('tab', { name: 'Providers (2)' })).toHaveAttribute('aria-selected', 'true');
  expect(screen.getByRole('tab', { name: 'Organizations (0)' })).toBeInTheDocument();
  const heads = screen.getAllByRole('columnheader').map((head) => head.textContent);
  expect(heads).toEqual(['Name', 'Address', 'Phone numbers']);
  const jun = rowOf('Aldersey, Jun M');
  expect(jun).toHaveTextContent('Tri-Valley Cardiology2200 Cedar Hollow Rd, Suite 310Larkfield, OH 43999');
  expect(within(jun).getByRole('button', { name: 'Copy jm.aldersey@trivalley.direct.example' })).toBeInTheDocument();
  expect(rowOf('Aldous, Petra')).toHaveTextContent('DIRECT address is not available.');
  await userEvent.click(within(jun).getByRole('button', { name: 'Phone numbers of Aldersey, Jun M' }));
  const phones = (await screen.findByText('Phone Numbers')).parentElement;
  expect(phones).toHaveTextContent('Phone NumbersPrimary(740) 555-0185Fax740-555-0188');
  // Nobody is chosen here.
  expect(screen.queryByRole('checkbox')).toBeNull();
  expect(screen.queryByRole('button', { name: 'Select' })).toBeNull();
  expect(screen.getAllByRole('button', { name: 'Close' })).toHaveLength(2);
});

test('where only organizations are found, their list is shown (SES-S-048)', async () => {
  found([], [entry('', { organizationName: 'Northgate Regional Hospital', directAddress: 'records@northgate.direct.example' })]);
  renderApp(<FindProviderDialog onClose={() => {}} />);
  await searchFor('Northgate');
  expect(await screen.findByRole('tab', { name: 'Organizations (1)' })).toHaveAttribute('aria-selected', 'true');
  expect(screen.getAllByRole('columnheader').map((head) => head.textContent)).toEqual(['Name', 'Address', 'Phone numbers']);
  expect(rowOf('Northgate Regional Hospital')).toHaveTextContent('records@northgate.direct.example');
});

test('the end of a list loads more only while there is more (SES-R-172)', async () => {
  totals = 2;
  renderApp(<FindProviderDialog onClose={() => {}} />);
  await searchFor('Akron');
  await screen.findByText('Akron 1');
  scroll();
  await screen.findByText('Akron 2');
  scroll();
  await searchFor('Bellaire');
  await screen.findByText('Bellaire 1');
  expect(searches.map((asked) => asked.providerPageStart)).toEqual([1, 2, 1]);
});

test('in select mode the chosen Direct addresses are returned, and by Cancel none (SES-S-049, SES-T-031, SES-T-032, SES-R-163, SES-R-164, SES-R-165)', async () => {
  found([JUN, PETRA]);
  const [onClose, onSelect] = [vi.fn(), vi.fn()];
  renderApp(<FindProviderDialog onClose={onClose} onSelect={onSelect} />);
  await searchFor('Larkfield');
  const choose = await screen.findByRole('checkbox', { name: 'Choose Aldersey, Jun M' });
  expect(screen.getByRole('checkbox', { name: 'Choose Aldous, Petra' })).toBeDisabled();
  expect(screen.getByRole('button', { name: 'Select' })).toBeDisabled();
  await userEvent.click(choose);
  expect(screen.getByText('1 selected')).toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(onClose).toHaveBeenCalledTimes(1);
  expect(onSelect).not.toHaveBeenCalled();
  await userEvent.click(screen.getByRole('button', { name: 'Select' }));
  expect(onSelect).toHaveBeenCalledWith(['jm.aldersey@trivalley.direct.example']);
  expect(onClose).toHaveBeenCalledTimes(2);
});

test('the invitation is opened below the search, and Escape closes it alone (SES-T-034, SES-R-167)', async () => {
  answer('get', '/api/documentsources/release', { items: [] });
  const onClose = vi.fn();
  renderApp(<FindProviderDialog onClose={onClose} />);
  await userEvent.type(screen.getByRole('textbox', { name: 'City' }), 'bell');
  const words =
    "Don't see the provider you're looking for? Invite them to use the product or share their existing Direct address with you.";
  await userEvent.click(screen.getByRole('button', { name: words }));
  expect(await screen.findByRole('dialog', { name: 'Build Your Network' })).toBeInTheDocument();
  await userEvent.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Build Your Network' })).toBeNull());
  expect(onClose).not.toHaveBeenCalled();
  expect(screen.getByRole('textbox', { name: 'City' })).toHaveValue('bell');
  await userEvent.keyboard('{Escape}');
  expect(onClose).toHaveBeenCalledTimes(1);
});
