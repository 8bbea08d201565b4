import { ActionIcon, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { ApiError, api, unwrap } from '@/api/client';
import { AlternateOidForm } from '@/api/limits.gen';
import { queryOf, refresh } from '@/api/query';
import type { AlternateOid } from '@/api/types';
import { queryClient } from '@/app/session';
import { EditDialog } from '@/shared/crud/EditDialog';
import { textField } from '@/shared/form/fields';
import { useAsk } from '@/shared/ui/AskDialog';
import { ErrorState } from '@/shared/ui/blocks';
import { ToggleCell } from '@/shared/ui/ToggleCell';

const OIDS = '/api/admin/organizations/{id}/oids';
const at = (id: string) => ({ params: { path: { id } } });
const fields = { value: textField('Value', { description: 'An object identifier, such as 2.16.840.1.113883.3.9999.' }) };

/** The screen's sentence, followed by the server's message. */
const withReason = (text: string) => async (error: unknown) => {
  if (error instanceof ApiError && error.status !== 401 && Object.keys(error.modelState).length > 0)
    throw new ApiError(error.status, {
      ...error.problem,
      message: `${text} ${Object.values(error.modelState).flat().join(' ')}`,
      modelState: {},
    });
  throw error;
};

/** The OIDs under which the organization may also ask, one of them by default. */
export function AlternateOids({ id }: { id: string }) {
  const [edited, setEdited] = useState<AlternateOid | 'new' | null>(null);
  const [ask, question] = useAsk();
  const query = useQuery(queryOf('get', OIDS, at(id)));
  const read = () => refresh(queryClient, OIDS);
  const put = (oid: AlternateOid, change: Partial<AlternateOid>) =>
    unwrap(api.PUT(OIDS, { ...at(id), body: { id: oid.id, value: oid.value, isDefault: oid.isDefault, version: oid.version, ...change } }));
  const askDelete = (oid: AlternateOid) =>
    ask({
      title: 'Delete OID',
      subject: oid.value,
      question: 'The organization can no longer send requests with it. Are you sure?',
      label: 'Delete',
      danger: true,
      run: () => unwrap(api.DELETE(`${OIDS}/{oidId}`, { params: { path: { id, oidId: oid.id } } })).then(read),
      done: 'The OID was deleted.',
      failed: 'There was an error deleting this OID.',
    });
  const save = async ({ value }: { value: string }, version: number | undefined) => {
    if (edited && edited !== 'new') await put({ ...edited, version: version ?? edited.version }, { value });
    else await unwrap(api.POST(OIDS, { ...at(id), body: { value } }));
    await read();
  };
  const latest = async () => {
    const { items } = await queryClient.fetchQuery({ ...queryOf('get', OIDS, at(id)), staleTime: 0 });
    return items.find((oid) => edited !== 'new' && oid.id === edited?.id) ?? (edited as AlternateOid);
  };
  return (
    <section className="adm-oids" aria-labelledby="alternate-oids">
      <div className="cp-row adm-oids-head">
        <h2 id="alternate-oids" className="cp-grow">
          Alternate requester OIDs
        </h2>
        <Button leftSection={<IconPlus size={16} stroke={2} />} onClick={() => setEdited('new')}>
          Add OID
        </Button>
      </div>
      {query.error && !query.data && (
        <ErrorState title="The OIDs could not be loaded" error={query.error} onRetry={() => void query.refetch()} />
      )}
      {!query.error && !query.data && <div className="cp-bone" style={{ width: '40%' }} />}
      {query.data?.items.length === 0 && <p className="cp-muted">The organization sends requests with its own OID only.</p>}
      <ul aria-label="Alternate requester OIDs">
        {query.data?.items.map((oid) => (
          <li key={oid.id}>
            <span className="cp-mono cp-grow">{oid.value}</span>
            <span className="cp-muted">Default</span>
            <ToggleCell
              label={`Default: ${oid.value}`}
              checked={oid.isDefault}
              onToggle={(isDefault) => put(oid, { isDefault }).then(read).catch(withReason('There was an error updating this OID.'))}
              failed="There was an error updating this OID."
            />
            <ActionIcon variant="subtle" color="gray" size="lg" aria-label={`Edit ${oid.value}`} onClick={() => setEdited(oid)}>
              <IconPencil size={16} stroke={1.6} />
            </ActionIcon>
            <ActionIcon variant="subtle" color="gray" size="lg" aria-label={`Delete ${oid.value}`} onClick={() => askDelete(oid)}>
              <IconTrash size={16} stroke={1.6} />
            </ActionIcon>
          </li>
        ))}
      </ul>
      {question}
      {edited && (
        <EditDialog
          noun="OID"
          title={`${edited === 'new' ? 'Add' : 'Edit'} Alternate Organization OID`}
          label="Save"
          fields={fields}
          limits={AlternateOidForm}
          saved={edited === 'new' ? undefined : edited}
          latest={edited === 'new' ? undefined : latest}
          save={save}
          done={edited === 'new' ? 'The OID was added successfully.' : 'The OID was updated successfully.'}
          failed={edited === 'new' ? 'There was an error creating this OID.' : 'There was an error updating this OID.'}
          onClose={() => setEdited(null)}
        />
      )}
    </section>
  );
}
