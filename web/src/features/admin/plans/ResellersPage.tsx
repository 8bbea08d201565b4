import { IconBuildingStore } from '@tabler/icons-react';
import { api } from '@/api/client';
import { ResellerForm } from '@/api/limits.gen';
import { queryOf } from '@/api/query';
import { CrudPage } from '@/shared/crud/CrudPage';
import { checkboxField, choiceField, textField } from '@/shared/form/fields';
import { HELP } from '@/shared/help';
import { at } from '../lists/fields';

const TYPES = [
  { value: 'Licensing', label: 'Licensing' },
  { value: 'Affiliate', label: 'Affiliate' },
] as const;

const fields = {
  name: textField('Name'),
  type: choiceField('Type', TYPES, {
    required: true,
    initial: 'Affiliate',
    description: 'Customers of a licensing reseller choose from its own plans.',
  }),
  bypassTerms: checkboxField('Own terms', { description: 'Its customers accept its terms in place of the standard ones.' }),
};

/** Partners who sell the product. */
export const ResellersPage = () => (
  <CrudPage
    title="Resellers"
    noun="reseller"
    icon={IconBuildingStore}
    list={({ search, page, size }) =>
      queryOf('get', '/api/admin/resellers', { params: { query: { search, pageNumber: page, pageSize: size } } })
    }
    columns={[
      { key: 'name', title: 'Reseller', help: HELP.reseller, primary: true, text: (r) => r.name },
      { key: 'type', title: 'Type', width: 140, text: (r) => r.type },
      { key: 'terms', title: 'Terms', width: 140, text: (r) => (r.bypassTerms ? 'Its own' : 'Standard') },
    ]}
    search="Search by name"
    fields={fields}
    limits={ResellerForm}
    read={(id) => queryOf('get', '/api/admin/resellers/{id}', at(id))}
    create={({ type, ...body }) => api.POST('/api/admin/resellers', { body: { ...body, type: type ?? 'Affiliate' } })}
    save={(id, { type, ...values }, version) =>
      api.PUT('/api/admin/resellers/{id}', { ...at(id), body: { ...values, type: type ?? 'Affiliate', version } })
    }
    remove={({ id }) => api.DELETE('/api/admin/resellers/{id}', at(id))}
    refreshes={['/api/organizations/resellers', '/api/organizations/plans', '/api/admin/plans']}
    words={{ emptyText: 'A reseller brings organizations and can sell them its own plans.' }}
  />
);
