import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { IconBan } from '@tabler/icons-react';
import { HttpResponse, http } from 'msw';
import { beforeEach, expect, test } from 'vitest';
import { setToken } from '@/api/token';
import { api } from '@/api/client';
import { queryOf } from '@/api/query';
import { renderScreen } from '@/test/render';
import { server } from '@/test/setup';
import { textField } from '../form/fields';
import { CrudPage } from './CrudPage';

type Network = { id: string; name: string; version: number };
let networks: Network[];
let requests: URL[];
const at = (id: string) => ({ params: { path: { id } } });
const message = 'Please enter a name of 3 to 100 characters.';
const problem = (status: number, body: object) => HttpResponse.json({ title: 'No', status, ...body }, { status });

beforeEach(() => {
  setToken({ accessToken: 'x', expiresIn: 3600 } as never);
  requests = [];
  networks = [{ id: '1', name: 'Meridian Exchange', version: 4 }];
  server.use(
    http.get('*/api/networks', ({ request }) => {
      requests.push(new URL(request.url));
      const words = requests.at(-1)!.searchParams.get('search') ?? '';
      const items = networks.filter((n) => n.name.includes(words));
      return HttpResponse.json({ items, totalCount: items.length, totalIsCapped: false });
    }),
    http.get('*/api/networks/:id', ({ params }) => HttpResponse.json(networks.find((n) => n.id === params.id))),
    http.post('*/api/networks', async ({ request }) => {
      const { name } = (await request.json()) as Network;
      if (networks.some((n) => n.name === name)) return problem(400, { modelState: { Name: ['Another network has this name.'] } });
      networks.push({ id: String(networks.length + 1), name, version: 1 });
      return HttpResponse.json(networks.at(-1), { status: 201 });
    }),
    http.put('*/api/networks/:id', async ({ params, request }) => {
      const { name, version } = (await request.json()) as Network;
      const saved = networks.find((n) => n.id === params.id)!;
      if (saved.version !== version)
        return problem(409, { reason: 'Changed in the meantime.', message: 'Somebody else has changed this network.' });
      Object.assign(saved, { name, version: version + 1 });
      return HttpResponse.json(saved);
    }),
    http.delete('*/api/networks/:id', () => problem(409, { message: 'This network still has 3 organizations.' })),
  );
});

const draw = (address = '/') =>
  renderScreen(
    <CrudPage
      title="Networks"
      noun="network"
      icon={IconBan}
      list={({ search, page, size }) => queryOf('get', '/api/networks', { params: { query: { search, page, size } } })}
      columns={[{ key: 'name', title: 'Network', text: (n) => n.name }]}
      search="Search by name"
      fields={{ name: textField('Name') }}
      limits={{ name: { required: true, minLength: 3, maxLength: 100, message } }}
      read={(id) => queryOf('get', '/api/networks/{id}', at(id))}
      create={(body) => api.POST('/api/networks', { body })}
      save={(id, values, version) => api.PUT('/api/networks/{id}', { ...at(id), body: { ...values, version } })}
      remove={({ id }) => api.DELETE('/api/networks/{id}', at(id))}
      menu={({ id, name, version }) => [
        {
          label: 'Close',
          icon: IconBan,
          ask: {
            title: 'Close network',
            subject: name,
            label: 'Close it',
            run: () => api.PUT('/api/networks/{id}', { ...at(id), body: { name: `${name} (closed)`, version } as never }),
            failed: 'The network could not be closed.',
          },
        },
      ]}
    />,
    address,
  );
const dialog = (name: string) => screen.findByRole('dialog', { name });
const press = async (where: HTMLElement, name: string) => userEvent.click(within(where).getByRole('button', { name }));
const name = (where: HTMLElement) => within(where).getByRole('textbox', { name: /^Name/ });
const write = async (where: HTMLElement, text: string) => {
  await userEvent.clear(name(where));
  await userEvent.click(name(where));
  await userEvent.paste(text);
};

test('a record is created, checked here and by the server, and appears in the list', async () => {
  const router = draw();
  await screen.findByText('Meridian Exchange');
  await userEvent.keyboard('n');
  const form = await dialog('New network');
  await write(form, '  ab ');
  await press(form, 'Create');
  expect(await within(form).findByText(message)).toBeInTheDocument();
  await write(form, 'Meridian Exchange');
  await press(form, 'Create');
  expect(await within(form).findByText('Another network has this name.')).toBeInTheDocument();
  await write(form, ' Cascade ');
  await press(form, 'Create');
  expect(await screen.findByText('The network was created.')).toBeInTheDocument();
  expect(await screen.findByRole('button', { name: 'Actions for Cascade' })).toBeInTheDocument();
  expect(router.state.location.search).toEqual({});
});

test('an empty list has one button to create, above it', async () => {
  networks.length = 0;
  draw();
  expect(await screen.findByRole('heading', { name: 'No networks yet' })).toBeInTheDocument();
  expect(screen.getAllByRole('button', { name: 'Create' })).toHaveLength(1);
});

test('a dialog opens by its URL; changes saved by somebody else are shown, and can be taken or overwritten', async () => {
  draw('/?edit=1');
  const form = await dialog('Edit network');
  await waitFor(() => expect(name(form)).toHaveValue('Meridian Exchange'));
  await write(form, 'Mine');
  Object.assign(networks[0]!, { name: 'Theirs', version: 9 });
  await press(form, 'Save Changes');
  expect(await within(form).findByText('Name: “Meridian Exchange” became “Theirs”.')).toBeInTheDocument();
  expect(name(form)).toHaveValue('Mine');
  await press(form, 'Keep mine');
  await press(form, 'Save Changes');
  expect(await screen.findByText('The network was saved.')).toBeInTheDocument();
  expect(networks[0]).toEqual({ id: '1', name: 'Mine', version: 10 });
});

test('deleting names the record, and shows why the server refuses', async () => {
  draw();
  await userEvent.click(await screen.findByRole('button', { name: 'Actions for Meridian Exchange' }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Delete' }));
  const question = await dialog('Delete network');
  expect(question).toHaveTextContent('Meridian Exchange');
  await press(question, 'Delete');
  expect(await screen.findByText('This network still has 3 organizations.')).toBeInTheDocument();
});

test('the list shows at once what an action on a row has changed', async () => {
  draw();
  await userEvent.click(await screen.findByRole('button', { name: 'Actions for Meridian Exchange' }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Close' }));
  await press(await dialog('Close network'), 'Close it');
  expect(await screen.findByText('Meridian Exchange (closed)')).toBeInTheDocument();
});

test('a search starts on the first page, and an empty result leads back to all', async () => {
  const router = draw('/?page=2');
  await screen.findByText('Meridian Exchange');
  await userEvent.type(screen.getByRole('searchbox', { name: 'Search networks' }), 'zz');
  expect(await screen.findByRole('heading', { name: 'No network matches' })).toBeInTheDocument();
  expect(requests.at(-1)!.search).toBe('?search=zz&page=1&size=10');
  await userEvent.click(screen.getByRole('button', { name: 'Show all' }));
  expect(await screen.findByText('Meridian Exchange')).toBeInTheDocument();
  expect(router.state.location.search).toEqual({});
});
