import { useQuery } from '@tanstack/react-query';
import { IconTags } from '@tabler/icons-react';
import { api } from '@/api/client';
import { ReleaseTypeForm } from '@/api/limits.gen';
import { queryOf } from '@/api/query';
import { CrudPage } from '@/shared/crud/CrudPage';
import { checkboxField, choiceField, textField } from '@/shared/form/fields';
import { at, retiredField, standing } from './fields';

const SEND_TYPES = [
  { value: 'Original', label: 'As they are' },
  { value: 'Pdf', label: 'PDF' },
  { value: 'Cda', label: 'C-CDA' },
] as const;
const sentAs = (type: string) => SEND_TYPES.find((t) => t.value === type)?.label ?? type;

/** The release types that every organization has. */
export function ReleaseTypesPage() {
  const params = { path: { list: 'classifications' as const }, query: { pageSize: 100 } };
  const classifications = useQuery(queryOf('get', '/api/admin/lists/{list}', { params })).data?.items ?? [];
  const nameOf = (code: string | null | undefined) => classifications.find((c) => c.code === code)?.name ?? code ?? '';
  const choices = classifications.map(({ code, name, isRetired }) => ({ value: code, label: name, retired: isRetired }));
  const fields = {
    name: textField('Name'),
    classificationCode: choiceField('Classification', choices, { description: 'Applied to messages of this type.' }),
    sendType: choiceField('Files are sent', SEND_TYPES, { required: true, initial: 'Original' }),
    subject: textField('Subject', { description: 'Used when the sender enters none. Leave empty to use the name.' }),
    trackFaxResponses: checkboxField('Track fax responses', { description: 'Selected by default when such a message is faxed.' }),
    isRetired: retiredField('Messages'),
  };
  return (
    <CrudPage
      title="Release types"
      noun="release type"
      icon={IconTags}
      list={({ search, page, size }) =>
        queryOf('get', '/api/admin/releasetypes', { params: { query: { search, pageNumber: page, pageSize: size } } })
      }
      columns={[
        { key: 'name', title: 'Name', primary: true, text: (t) => t.name },
        { key: 'classification', title: 'Classification', width: 220, drop: 2, text: (t) => nameOf(t.classificationCode) },
        { key: 'sendType', title: 'Files are sent', width: 140, drop: 1, text: (t) => sentAs(t.sendType) },
        { key: 'standing', title: 'Status', width: 120, text: (row) => standing(row) },
      ]}
      search="Search by name"
      fields={fields}
      limits={ReleaseTypeForm}
      read={(id) => queryOf('get', '/api/admin/releasetypes/{id}', at(id))}
      create={({ sendType, ...body }) => api.POST('/api/admin/releasetypes', { body: { ...body, sendType: sendType ?? 'Original' } })}
      save={(id, { sendType, ...values }, version) =>
        api.PUT('/api/admin/releasetypes/{id}', { ...at(id), body: { ...values, sendType: sendType ?? 'Original', version } })
      }
      remove={({ id }) => api.DELETE('/api/admin/releasetypes/{id}', at(id))}
      refreshes={['/api/releasetypes']}
      words={{ deleteQuestion: 'It can no longer be chosen. Are you sure?' }}
    />
  );
}
