import { IconStethoscope } from '@tabler/icons-react';
import { api } from '@/api/client';
import { OrganizationSpecialtyForm } from '@/api/limits.gen';
import { queryOf } from '@/api/query';
import { CrudPage } from '@/shared/crud/CrudPage';
import { textField } from '@/shared/form/fields';
import { at, retiredField, standing } from './fields';

const fields = { name: textField('Name'), isRetired: retiredField('Organizations') };

/** The specialties that an organization can have. */
export const SpecialtiesPage = () => (
  <CrudPage
    title="Organization specialties"
    noun="specialty"
    nouns="specialties"
    icon={IconStethoscope}
    list={({ search, offset, size }) =>
      queryOf('get', '/api/admin/organizationspecialties', {
        params: { query: { search, pageStart: offset, pageSize: size } },
      })
    }
    columns={[
      { key: 'name', title: 'Name', primary: true, text: (s) => s.name },
      { key: 'standing', title: 'Status', width: 120, text: (row) => standing(row) },
      { key: 'id', title: 'ID', width: 340, drop: 1, text: (s) => s.id, render: (s) => <span className="cp-mono">{s.id}</span> },
    ]}
    search="Search by name"
    fields={fields}
    limits={OrganizationSpecialtyForm}
    read={(id) => queryOf('get', '/api/admin/organizationspecialties/{id}', at(id))}
    create={(body) => api.POST('/api/admin/organizationspecialties', { body })}
    save={(id, values, version) => api.PUT('/api/admin/organizationspecialties/{id}', { ...at(id), body: { ...values, version } })}
    remove={({ id }) => api.DELETE('/api/admin/organizationspecialties/{id}', at(id))}
    refreshes={['/api/organizations/specialties']}
    words={{ deleteQuestion: 'It can no longer be chosen. Are you sure?' }}
  />
);
