import { IconFileText } from '@tabler/icons-react';
import { api } from '@/api/client';
import { DocumentTypeForm } from '@/api/limits.gen';
import { queryOf } from '@/api/query';
import { CrudPage } from '@/shared/crud/CrudPage';
import { textField } from '@/shared/form/fields';
import { at } from './fields';

const fields = {
  name: textField('Name'),
  code: textField('LOINC code', { description: 'Such as 11488-4. Leave empty if none fits.' }),
};

/** The document types that every organization has. */
export const DocumentTypesPage = () => (
  <CrudPage
    title="Document types"
    noun="document type"
    icon={IconFileText}
    list={({ search, page, size }) =>
      queryOf('get', '/api/admin/documenttypes', { params: { query: { search, pageNumber: page, pageSize: size } } })
    }
    columns={[
      { key: 'name', title: 'Name', primary: true, text: (t) => t.name },
      { key: 'code', title: 'LOINC', width: 160, text: (t) => t.code },
    ]}
    search="Search by name or code"
    fields={fields}
    limits={DocumentTypeForm}
    read={(id) => queryOf('get', '/api/admin/documenttypes/{id}', at(id))}
    create={(body) => api.POST('/api/admin/documenttypes', { body })}
    save={(id, values, version) => api.PUT('/api/admin/documenttypes/{id}', { ...at(id), body: { ...values, version } })}
    remove={({ id }) => api.DELETE('/api/admin/documenttypes/{id}', at(id))}
    refreshes={['/api/documenttypes']}
    words={{ deleteQuestion: 'It can no longer be chosen. Filed documents keep it. Are you sure?' }}
  />
);
