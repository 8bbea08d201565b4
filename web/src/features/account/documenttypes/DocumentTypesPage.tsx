import { IconFileText } from '@tabler/icons-react';
import { api } from '@/api/client';
import { OwnDocumentTypeForm } from '@/api/limits.gen';
import { queryOf } from '@/api/query';
import { CrudPage } from '@/shared/crud/CrudPage';
import { textField } from '@/shared/form/fields';

const at = (id: string) => ({ params: { path: { id } } });
const fields = {
  name: textField('Name'),
  code: textField('LOINC code', { description: 'Such as 11488-4. Leave empty if none fits.' }),
};

/** The document types that the organization can choose; those of the system are read-only. */
export const DocumentTypesPage = () => (
  <CrudPage
    title="Document types"
    noun="document type"
    icon={IconFileText}
    list={({ search, page, size }) =>
      queryOf('get', '/api/settings/documenttypes', { params: { query: { search, pageNumber: page, pageSize: size } } })
    }
    columns={[
      { key: 'name', title: 'Name', primary: true, text: (t) => t.name },
      { key: 'code', title: 'LOINC', width: 160, drop: 1, text: (t) => t.code },
      { key: 'of', title: 'Of', width: 160, text: (t) => (t.isSystem ? 'System' : 'Your organization') },
    ]}
    search="Search by name"
    fields={fields}
    limits={OwnDocumentTypeForm}
    isFixed={(t) => t.isSystem}
    read={(id) => queryOf('get', '/api/settings/documenttypes/{id}', at(id))}
    create={(body) => api.POST('/api/settings/documenttypes', { body })}
    save={(id, values, version) => api.PUT('/api/settings/documenttypes/{id}', { ...at(id), body: { ...values, version } })}
    remove={({ id }) => api.DELETE('/api/settings/documenttypes/{id}', at(id))}
    refreshes={['/api/documenttypes']}
    words={{ deleteQuestion: 'It can no longer be chosen. Filed documents keep it. Are you sure?' }}
  />
);
