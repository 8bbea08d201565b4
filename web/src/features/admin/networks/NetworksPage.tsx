import { IconAffiliate } from '@tabler/icons-react';
import { api } from '@/api/client';
import { NetworkForm } from '@/api/limits.gen';
import { queryOf } from '@/api/query';
import { CrudPage } from '@/shared/crud/CrudPage';
import { formatDateTime, formatWhen } from '@/shared/format';
import { paths } from '@/shared/paths';
import { at, networkFields, RELATED } from './api';

const created = (n: { createDate?: string | null }) => (n.createDate ? formatWhen(n.createDate) : '–');

/** All networks of the platform. */
export const NetworksPage = () => (
  <CrudPage
    title="Networks"
    noun="network"
    icon={IconAffiliate}
    list={({ search, page, size }) => queryOf('get', '/api/networks', { params: { query: { search, page, size } } })}
    columns={[
      { key: 'name', title: 'Network', primary: true, text: (n) => n.name },
      { key: 'created', title: 'Created', width: 180, numeric: true, text: (n) => formatDateTime(n.createDate), render: (n) => created(n) },
    ]}
    search="Search by name"
    href={(n) => paths.network(n.id)}
    fields={networkFields}
    limits={NetworkForm}
    create={(body) => api.POST('/api/networks', { body })}
    remove={({ id }) => api.DELETE('/api/networks/{id}', at(id))}
    refreshes={RELATED}
    second={(n) => `Created: ${created(n)}`}
    words={{
      newTitle: 'New Network',
      deleteTitle: 'Delete Network',
      deleteItem: 'Delete Network',
      deleteQuestion: 'Its administrators are signed out and lose their role, and its service account ends. Are you sure?',
      emptyText: 'A network groups organizations under administrators of its own.',
      noMatchText: 'Try the beginning of the name.',
    }}
  />
);
