import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconBook2, IconCircleCheck, IconCircleOff, IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '@/api/client';
import { DirectoryEntryForm } from '@/api/limits.gen';
import { queryOf, reshaped } from '@/api/query';
import type { DirectoryEntry, Organization } from '@/api/types';
import { CrudSection, type ListRequest } from '@/shared/crud/CrudPage';
import { Status } from '@/shared/ui/status';
import { ImportDialog } from './ImportDialog';
import { entityTypeOf, entryFields, inputOf, RESPONDER_CHOICES, responderOf, valuesOfNew } from './entry';

/** The filter by what an entry is in the network. */
const TYPE = 'responderType';
const ENTRIES = '/api/admin/organizations/{id}/directoryentries';

/** The server returns all entries of an organization, which are few. */
const entriesQuery = (id: string, { offset, size, filter }: ListRequest) => {
  const type = filter(TYPE);
  const page = (all: { items: DirectoryEntry[] }) => {
    const items = all.items.filter((entry) => !type || entry.responderType === type);
    return { items: items.slice(offset, offset + size), totalCount: items.length, totalIsCapped: false };
  };
  return { ...reshaped(queryOf('get', ENTRIES, { params: { path: { id } } }), page, offset, size, type), retry: false };
};

const mono = (text: string) => (text ? <span className="cp-mono">{text}</span> : <span className="cp-muted">–</span>);

/** The organization's entries in the directory of the Carequality network. */
export function DirectoryEntries({ organization }: { organization: Organization }) {
  const [importing, setImporting] = useState(false);
  const { data: qhin } = useQuery(queryOf('get', '/api/admin/organizations/{id}/qhin', { params: { path: { id: organization.id } } }));
  const put = (body: ReturnType<typeof inputOf>) => api.PUT(ENTRIES, { params: { path: { id: organization.id } }, body });
  const setActive = (entry: DirectoryEntry, isActive: boolean) => ({
    title: `${isActive ? 'Activate' : 'Deactivate'} Directory Entry`,
    subject: `${entry.displayName}, ${entry.organizationId}`,
    label: isActive ? 'Activate' : 'Deactivate',
    danger: !isActive,
    run: () => put(inputOf({ ...entry, isActive }, { id: entry.id, version: entry.version })),
    done: `The Directory Entry was ${isActive ? 'activated' : 'deactivated'}.`,
    failed: 'There was an error activating or deactivating this OID.',
  });
  return (
    <section className="adm-panel" aria-labelledby="directory-entries">
      <CrudSection
        heading={<h2 id="directory-entries">Directory entries</h2>}
        title="Directory entries"
        noun="directory entry"
        nouns="directory entries"
        icon={IconBook2}
        list={(request) => entriesQuery(organization.id, request)}
        columns={[
          {
            key: 'name',
            title: 'Name',
            primary: true,
            text: (e) => e.displayName,
            render: (e) => (
              <span className="cp-cell">
                <span className="cp-ell">{e.displayName}</span>
                <span className="cp-muted" title={responderOf(e.responderType)}>
                  {entityTypeOf(e)}
                </span>
                {!e.isActive && <Status state="Inactive" />}
              </span>
            ),
          },
          { key: 'oid', title: 'OID', width: 280, text: (e) => e.organizationId, render: (e) => mono(e.organizationId) },
          { key: 'parent', title: 'Parent OID', width: 280, drop: 1, text: (e) => e.parentOrgId, render: (e) => mono(e.parentOrgId) },
        ]}
        filters={[{ name: TYPE, label: 'Responder Type', choices: RESPONDER_CHOICES }]}
        actions={
          <Button variant="default" leftSection={<IconDownload size={16} stroke={1.6} />} onClick={() => setImporting(true)}>
            Import
          </Button>
        }
        fields={entryFields}
        limits={DirectoryEntryForm}
        initial={valuesOfNew(organization, qhin?.homeCommunityId)}
        create={(values) => put(inputOf(values))}
        save={(id, values, version) => put(inputOf(values, { id, version }))}
        menu={(e) => [
          {
            label: e.isActive ? 'Deactivate' : 'Activate',
            icon: e.isActive ? IconCircleOff : IconCircleCheck,
            ask: setActive(e, !e.isActive),
          },
        ]}
        badge={(e) => !e.isActive && <Status state="Inactive" />}
        second={(e) => (
          <span className="cp-ell">
            {entityTypeOf(e)} · <span className="cp-mono">{e.organizationId}</span>
          </span>
        )}
        words={{
          create: 'Add',
          newTitle: 'Add Directory Entry',
          editTitle: 'Edit Directory Entry',
          createLabel: 'Save',
          saveLabel: 'Save',
          created: 'The Directory Entry was added successfully.',
          saved: 'The Directory Entry was edited successfully.',
          notSaved: 'There was an error upserting this entry',
          empty: 'No directory entry',
          emptyText: 'The organization is not in the Carequality directory.',
        }}
      />
      {importing && <ImportDialog organizationId={organization.id} onClose={() => setImporting(false)} />}
    </section>
  );
}
