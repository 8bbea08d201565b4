import { Menu, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconDeviceLandlinePhone, IconArrowRight, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import type { UnknownFax } from '@/api/types';
import { useDebounced } from '@/shared/debounce';
import { ListSelect } from '@/shared/form/inputs';
import { useServerForm } from '@/shared/form/useServerForm';
import { formatDateTime, plural } from '@/shared/format';
import { notify } from '@/shared/notify';
import type { Column } from '@/shared/table/DataTable';
import { PagedList } from '@/shared/table/PagedList';
import { useListState } from '@/shared/table/useListState';
import { ChoicesFailed, EmptyState } from '@/shared/ui/blocks';
import { FormDialog } from '@/shared/ui/FormDialog';
import { PageHead } from '@/shared/ui/PageHead';
import { assignFax, discardFax, numbersOfQuery, queueQuery } from './api';

const caller = (f: UnknownFax) => f.caller || f.callerName || f.senderId || 'Unknown caller';
const dash = <span className="cp-muted">–</span>;

const columns: Column<UnknownFax>[] = [
  { key: 'at', title: 'Received', width: 176, numeric: true, render: (f) => formatDateTime(f.receivedAt) },
  { key: 'called', title: 'Number called', width: 150, numeric: true, render: (f) => f.called || dash },
  { key: 'caller', title: 'Caller', primary: true, text: caller },
  { key: 'sender', title: 'Sender ID', drop: 2, text: (f) => f.senderId ?? '', render: (f) => f.senderId || dash },
  { key: 'pages', title: 'Pages', width: 84, numeric: true, render: (f) => f.pages ?? dash },
  { key: 'account', title: 'Account owner', drop: 1, text: (f) => f.organizationName },
];

type Act = { kind: 'assign' | 'discard'; fax: UnknownFax };

/** Received faxes of unknown recipients. Nobody sees their pages. */
export function QueuePage() {
  const list = useListState({ size: 25 });
  const query = useQuery(queueQuery(list.page, list.size));
  const [act, setAct] = useState<Act | null>(null);
  const close = () => setAct(null);
  const menu = (fax: UnknownFax) => (
    <>
      <Menu.Label>{caller(fax)}</Menu.Label>
      <Menu.Item leftSection={<IconArrowRight size={16} stroke={1.6} />} onClick={() => setAct({ kind: 'assign', fax })}>
        Assign to a number
      </Menu.Item>
      <Menu.Item data-danger leftSection={<IconTrash size={16} stroke={1.6} />} onClick={() => setAct({ kind: 'discard', fax })}>
        Remove from the queue
      </Menu.Item>
    </>
  );
  return (
    <>
      <PageHead title="Unknown faxes" />
      <PagedList
        label="Unknown faxes"
        noun="faxes"
        query={query}
        list={list}
        columns={columns}
        name={(f) => `${caller(f)}, ${formatDateTime(f.receivedAt)}`}
        empty={
          <EmptyState
            icon={IconDeviceLandlinePhone}
            title="No unknown faxes"
            text="Faxes to numbers that belong to nobody appear here until they are assigned."
          />
        }
        second={(f) => (
          <>
            <span className="cp-ell cp-grow">{f.called ? `to ${f.called}` : f.organizationName}</span>
            {f.pages != null && <span>{plural(f.pages, 'page')}</span>}
          </>
        )}
        menu={menu}
      />
      {act?.kind === 'assign' && <AssignFaxDialog fax={act.fax} onClose={close} />}
      {act?.kind === 'discard' && <DiscardFaxDialog fax={act.fax} onClose={close} />}
    </>
  );
}

function AssignFaxDialog({ fax, onClose }: { fax: UnknownFax; onClose: () => void }) {
  const [words, setWords] = useState('');
  const search = useDebounced(words, 250);
  const numbers = useQuery(numbersOfQuery(fax.organizationId, search));
  const { form, ...rest } = useServerForm({
    initialValues: { documentSourceId: null as string | null },
    validate: { documentSourceId: (v) => (v ? null : 'Choose the fax number.') },
    submit: async ({ documentSourceId }) => {
      await assignFax(fax.id, documentSourceId ?? '');
      notify('success', 'The fax was assigned.');
      onClose();
    },
  });
  return (
    <FormDialog title={`Fax from ${caller(fax)}`} label="Assign" onClose={onClose} {...rest}>
      <ChoicesFailed of={[numbers]} />
      <ListSelect
        data-autofocus
        size="md"
        label="Fax number"
        description={`Numbers of ${fax.organizationName}. The fax goes to the Intake of the organization.`}
        required
        onSearch={setWords}
        data={numbers.data?.map((n) => ({ value: n.id, label: [n.displayAddress, n.displayName].filter(Boolean).join(', ') })) ?? []}
        {...form.getInputProps('documentSourceId')}
      />
    </FormDialog>
  );
}

function DiscardFaxDialog({ fax, onClose }: { fax: UnknownFax; onClose: () => void }) {
  const { form, ...rest } = useServerForm({
    initialValues: { reason: '' },
    validate: { reason: (v) => (v.trim() ? null : 'Please enter why the fax belongs to nobody.') },
    submit: async ({ reason }) => {
      await discardFax(fax.id, reason);
      notify('success', 'The fax was removed from the queue.');
      onClose();
    },
  });
  return (
    <FormDialog title={`Fax from ${caller(fax)}`} label="Remove" onClose={onClose} {...rest}>
      <Textarea
        data-autofocus
        size="md"
        label="Reason"
        description="Recorded in the audit trail. The pages are kept."
        required
        maxLength={255}
        rows={2}
        {...form.getInputProps('reason')}
      />
    </FormDialog>
  );
}
