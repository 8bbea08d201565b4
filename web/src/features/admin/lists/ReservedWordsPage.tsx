import { IconBan } from '@tabler/icons-react';
import { api } from '@/api/client';
import { ReservedWordForm } from '@/api/limits.gen';
import { queryOf } from '@/api/query';
import { CrudPage } from '@/shared/crud/CrudPage';
import { checkboxField, textField } from '@/shared/form/fields';
import { at } from './fields';

const fields = {
  name: textField('Word', { description: 'No organization can have it as its subdomain.' }),
  profanity: checkboxField('Profanity', { description: 'Also refused as a hyphenated part of a longer subdomain.' }),
};

/** Words that no organization can have as its subdomain. */
export const ReservedWordsPage = () => (
  <CrudPage
    title="Reserved words"
    noun="reserved word"
    icon={IconBan}
    list={({ search, page, size, sort, flag }) =>
      queryOf('get', '/api/reservedwords', {
        params: { query: { search, profanity: flag('profanity'), sortDir: sort.dir, pageNumber: page, pageSize: size } },
      })
    }
    columns={[
      { key: 'name', title: 'Word', primary: true, sortable: true, text: (w) => w.name },
      { key: 'profanity', title: 'Profanity', width: 140, text: (w) => (w.profanity ? 'Yes' : 'No') },
    ]}
    sort={{ by: 'name', dir: 'asc' }}
    search="Search by word"
    filters={[
      {
        name: 'profanity',
        label: 'Profanity',
        choices: [
          { value: 'true', label: 'Yes' },
          { value: 'false', label: 'No' },
        ],
      },
    ]}
    fields={fields}
    limits={ReservedWordForm}
    read={(id) => queryOf('get', '/api/reservedwords/{id}', at(id))}
    create={(body) => api.POST('/api/reservedwords', { body })}
    save={(id, values, version) => api.PUT('/api/reservedwords/{id}', { ...at(id), body: { ...values, version } })}
    remove={({ id }) => api.DELETE('/api/reservedwords/{id}', at(id))}
    second={(w) => w.profanity && 'Profanity'}
    words={{ deleteQuestion: 'Organizations will be able to use it as a subdomain. Are you sure?' }}
  />
);
