import { api } from '@/api/client';
import { ListEntryForm } from '@/api/limits.gen';
import { type ApiPath, queryOf } from '@/api/query';
import type { ListEntry, ListName } from '@/api/types';
import { CrudPage } from '@/shared/crud/CrudPage';
import { type Field, textField } from '@/shared/form/fields';
import type { Column } from '@/shared/table/DataTable';
import type { Icon } from '@/shared/ui/states';
import { retiredField, standing } from './fields';

const NAME: Column<ListEntry> = { key: 'name', title: 'Name', primary: true, text: (e) => e.name };
const STATUS: Column<ListEntry> = { key: 'standing', title: 'Status', width: 140, text: standing };

type Props = {
  list: ListName;
  title: string;
  noun: string;
  nouns?: string;
  icon: Icon;
  /** The holders of the entries, as the beginning of a sentence. */
  who: string;
  /** The code field, if other systems identify entries by a code. */
  code?: { label: string; description: string };
  /** Further fields of the entries. */
  more?: { licenseTypeIds: Field<string[] | null> };
  /** Paths refetched after a change. */
  refreshes: readonly ApiPath[];
};

/** A list whose entries have a name and perhaps a code. */
export function EntriesPage({ list, title, noun, nouns, icon, who, code, more, refreshes }: Props) {
  const at = (id: string) => ({ params: { path: { list, id } } });
  const codeField =
    code && textField(code.label, { description: code.description, required: 'Please enter the code that other systems use.' });
  const fields = {
    name: textField('Name'),
    ...((codeField ? { code: codeField } : {}) as { code: Field<string> }),
    ...(more as NonNullable<typeof more>),
    isRetired: retiredField(who),
  };
  return (
    <CrudPage
      title={title}
      noun={noun}
      nouns={nouns}
      icon={icon}
      list={({ search, page, size }) =>
        queryOf('get', '/api/admin/lists/{list}', {
          params: { path: { list }, query: { search, pageNumber: page, pageSize: size } },
        })
      }
      columns={code ? [NAME, { key: 'code', title: code.label, width: 160, text: (e) => e.code }, STATUS] : [NAME, STATUS]}
      search={code ? 'Search by name or code' : 'Search by name'}
      fields={fields}
      limits={ListEntryForm}
      read={(id) => queryOf('get', '/api/admin/lists/{list}/{id}', at(id))}
      create={(body) => api.POST('/api/admin/lists/{list}', { params: { path: { list } }, body })}
      save={(id, values, version) => api.PUT('/api/admin/lists/{list}/{id}', { ...at(id), body: { ...values, version } })}
      remove={({ id }) => api.DELETE('/api/admin/lists/{list}/{id}', at(id))}
      refreshes={refreshes}
      words={{ deleteQuestion: 'It can no longer be chosen. Are you sure?' }}
    />
  );
}
