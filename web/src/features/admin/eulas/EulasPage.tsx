import '../admin.css';
import { useQuery } from '@tanstack/react-query';
import { IconCircleCheck, IconEye, IconLicense } from '@tabler/icons-react';
import { useState } from 'react';
import { api, rawFetch } from '@/api/client';
import { queryOf } from '@/api/query';
import type { Eula } from '@/api/types';
import { CrudPage } from '@/shared/crud/CrudPage';
import { useDebounced } from '@/shared/debounce';
import { choiceField, textField } from '@/shared/form/fields';
import { fileField } from '@/shared/form/fileField';
import { formatCount } from '@/shared/format';
import { ErrorState } from '@/shared/ui/blocks';
import { Dialog } from '@/shared/ui/Dialog';
import { DownloadButton } from '@/shared/ui/DownloadButton';
import { SafeHtml } from '@/shared/ui/SafeHtml';
import { Status } from '@/shared/ui/status';
import { madeName, saveFile } from '@/shared/saveFile';
import { useListState } from '@/shared/table/useListState';
import { EULAS, type EulaRow, eulasQuery, NEWEST } from './api';

const at = (id: string) => ({ params: { path: { id } } });
/** Of the search, and of another page size. */
const DELAY_MS = 300;

const TYPES = [
  { value: 'EULA', label: 'EULA' },
  { value: 'Privacy', label: 'Privacy' },
] as const;

const file = fileField('File', {
  description: 'An HTML file of at most 1 MB. Scripts are removed.',
  accept: '.html,.htm,text/html',
  check: ({ name }) => (/\.html?$/i.test(name) ? null : 'You must select a html file.'),
});
const versionField = textField('Version', {
  description: 'A number, such as 2.1. The highest is listed first.',
  required: 'Please enter a number of at most 10 characters, such as 2.1.',
  check: (value) =>
    /^(?=.{1,10}$)\d+(\.\d+)?$/.test(value.trim()) ? null : 'Please enter a number of at most 10 characters, such as 2.1.',
});

async function createEula({
  file,
  type,
  brand,
  version,
}: {
  file: File | null;
  type: string | null;
  brand: string | null;
  version: string;
}) {
  const body = new FormData();
  body.append('type', type ?? '');
  body.append('brand', brand ?? '');
  body.append('version', version);
  if (file) body.append('file', file, file.name);
  const response = await rawFetch(EULAS, { method: 'POST', body });
  return { data: (await response.json()) as Eula };
}

const nameOf = (e: EulaRow) => `${e.type} ${e.number}, ${e.brand.name}`;
const stateOf = (e: EulaRow) => (e.active ? 'Active' : 'Inactive');

/** The versions of the terms of service and of the privacy terms. */
export function EulasPage() {
  const [viewed, view] = useState<EulaRow | null>(null);
  const size = useDebounced(useListState().size, DELAY_MS);
  const brands = useQuery(queryOf('get', '/api/admin/eulas/brands')).data?.items ?? [];
  const fields = {
    file,
    type: choiceField('Type', TYPES, { required: true, initial: 'EULA' }),
    brand: choiceField(
      'Brand',
      brands.map((b) => ({ value: b.id, label: b.name })),
      { required: 'Please choose a brand.' },
    ),
    version: versionField,
  };
  const activate = (e: EulaRow) => ({
    title: 'Activate EULA',
    subject: nameOf(e),
    question: 'It replaces the active version. Everybody who has not accepted it must do so before continuing. Are you sure?',
    label: 'Activate',
    run: () => api.PUT('/api/admin/eulas/{id}/activate', at(e.id)),
    done: 'The TOS was activated successfully.',
    failed: 'The TOS was not activated successfully.',
  });
  return (
    <>
      <CrudPage
        title="EULAs"
        noun="EULA"
        icon={IconLicense}
        list={(request) => eulasQuery({ ...request, size })}
        columns={[
          { key: 'version', title: 'Version', width: 110, numeric: true, sortable: true, text: (e) => e.number },
          { key: 'type', title: 'Type', width: 120, sortable: true, text: (e) => e.type },
          { key: 'brand', title: 'Brand', primary: true, sortable: true, text: (e) => e.brand.name },
          { key: 'active', title: 'Status', width: 130, sortable: true, render: (e) => <Status state={stateOf(e)} /> },
          { key: 'users', title: 'Accepted by', width: 120, numeric: true, drop: 1, text: (e) => formatCount(e.totalUsers) },
        ]}
        name={nameOf}
        sort={NEWEST}
        search="Search by brand, type or version"
        searchDelay={DELAY_MS}
        links={4}
        fields={fields}
        create={createEula}
        remove={({ id }) => api.DELETE('/api/admin/eulas/{id}', at(id))}
        menu={(e) => [
          { label: 'View', icon: IconEye, run: () => view(e) },
          ...(e.active ? [] : [{ label: 'Activate', icon: IconCircleCheck, ask: activate(e) }]),
        ]}
        badge={(e) => <Status state={stateOf(e)} />}
        second={(e) => (
          <span className="cp-ell">
            {e.type} {e.number}
          </span>
        )}
        words={{
          invalid: 'There are invalid fields on this page.',
          created: 'The TOS was created successfully.',
          deleted: 'The TOS was deleted successfully.',
          notSaved: 'The TOS was not created successfully.',
          notDeleted: 'The TOS was not deleted successfully.',
        }}
      />
      {viewed && <EulaView eula={viewed} onClose={() => view(null)} />}
    </>
  );
}

function EulaView({ eula, onClose }: { eula: EulaRow; onClose: () => void }) {
  const text = useQuery({
    queryKey: ['get', '/api/admin/eulas/{id}/html', eula.id],
    queryFn: async () => (await rawFetch(`${EULAS}/${eula.id}/html`)).text(),
  });
  const save = async () =>
    saveFile(await (await rawFetch(`${EULAS}/${eula.id}/pdf`)).blob(), madeName(`terms-${eula.type}-${eula.number}`, 'pdf'));
  return (
    <Dialog opened onClose={onClose} title={nameOf(eula)} size={720} footer={<DownloadButton label="Download PDF" size="md" save={save} />}>
      {text.data === undefined && !text.error && <div className="cp-bone" style={{ width: '60%' }} />}
      {text.data === undefined && text.error && (
        <ErrorState title="The text could not be loaded" error={text.error} onRetry={() => void text.refetch()} />
      )}
      {text.data !== undefined && (
        <section className="adm-eula" tabIndex={0} aria-label="Text of the terms" data-autofocus>
          <SafeHtml html={text.data} />
        </section>
      )}
    </Dialog>
  );
}
