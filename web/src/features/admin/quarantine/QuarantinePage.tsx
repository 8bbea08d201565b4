import '../admin.css';
import { Menu, Tabs, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconLockOpen, IconShieldCheck, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import type { HeldFile } from '@/api/types';
import { useServerForm } from '@/shared/form/useServerForm';
import { formatDateTime, formatSize } from '@/shared/format';
import { notify } from '@/shared/notify';
import type { Column } from '@/shared/table/DataTable';
import { PagedList } from '@/shared/table/PagedList';
import { useListState } from '@/shared/table/useListState';
import { useAsk } from '@/shared/ui/AskDialog';
import { EmptyState } from '@/shared/ui/blocks';
import { FormDialog } from '@/shared/ui/FormDialog';
import { PageHead } from '@/shared/ui/PageHead';
import { deleteFile, quarantineQuery, releaseFile } from './api';

type State = HeldFile['state'];

const TABS: Record<State, { title: string; noun: string; empty: string; text: string }> = {
  Quarantined: {
    title: 'In quarantine',
    noun: 'files in quarantine',
    empty: 'Nothing is in quarantine',
    text: 'Files in which the malware scanner finds something appear here. Nobody can open them.',
  },
  Waiting: {
    title: 'Waiting',
    noun: 'waiting files',
    empty: 'No files are waiting',
    text: 'Files wait here until the malware scanner has checked them. Nobody can open them before that.',
  },
  Released: { title: 'Released', noun: 'released files', empty: 'Nothing was released', text: 'Released files appear here.' },
  Deleted: { title: 'Deleted', noun: 'deleted files', empty: 'Nothing was deleted', text: 'Deleted files appear here.' },
};
const isState = (text: string | undefined): text is State => text !== undefined && text in TABS;

const dash = <span className="cp-muted">–</span>;
const nameOf = (f: HeldFile) => f.finding || `${f.kind.toUpperCase()} of ${f.organizationName}`;

const common: Column<HeldFile>[] = [
  { key: 'since', title: 'Since', width: 176, numeric: true, render: (f) => formatDateTime(f.since) },
  { key: 'organization', title: 'Organization', primary: true, text: (f) => f.organizationName },
  { key: 'finding', title: 'Finding', text: (f) => f.finding ?? '', render: (f) => f.finding || dash },
  { key: 'kind', title: 'Kind', width: 90, drop: 2, text: (f) => f.kind.toUpperCase() },
  { key: 'size', title: 'Size', width: 100, drop: 2, numeric: true, text: (f) => formatSize(f.sizeInBytes) },
  { key: 'origin', title: 'From', width: 110, drop: 1, text: (f) => (f.origin === 'Triage' ? 'Triage' : 'Message') },
];
const decided: Column<HeldFile>[] = [
  { key: 'by', title: 'By', width: 190, text: (f) => f.decidedBy ?? '' },
  {
    key: 'date',
    title: 'Decided',
    width: 176,
    numeric: true,
    drop: 1,
    render: (f) => (f.decidedDate ? formatDateTime(f.decidedDate) : dash),
  },
];
const reason: Column<HeldFile> = { key: 'reason', title: 'Reason', drop: 1, text: (f) => f.reason ?? '' };
const columnsOf = (state: State) => {
  if (state === 'Released') return [...common, ...decided, reason];
  return state === 'Deleted' ? [...common, ...decided] : common;
};

/** Files that nobody can open because of the malware scanner. Operators do not see their names. */
export function QuarantinePage() {
  const list = useListState({ size: 25 });
  const chosen = list.filter('state');
  const state: State = isState(chosen) ? chosen : 'Quarantined';
  const words = TABS[state];
  const query = useQuery(quarantineQuery(state, list.page, list.size));
  const [released, setReleased] = useState<HeldFile | null>(null);
  const [ask, question] = useAsk();
  const remove = (file: HeldFile) =>
    ask({
      title: 'Delete the file?',
      subject: nameOf(file),
      question: `It is removed from its ${file.origin === 'Triage' ? 'batch' : 'message'} at ${file.organizationName}. This cannot be undone.`,
      label: 'Delete',
      danger: true,
      run: () => deleteFile(file.id),
      done: 'The file was deleted.',
      failed: 'Unable to delete the file. Please try again.',
    });
  const menu = (file: HeldFile) => (
    <>
      <Menu.Label>{nameOf(file)}</Menu.Label>
      <Menu.Item leftSection={<IconLockOpen size={16} stroke={1.6} />} onClick={() => setReleased(file)}>
        Release
      </Menu.Item>
      <Menu.Item data-danger leftSection={<IconTrash size={16} stroke={1.6} />} onClick={() => remove(file)}>
        Delete
      </Menu.Item>
    </>
  );
  const show = (next: string | null) => list.setFilter('state', next && next !== 'Quarantined' ? next : undefined);
  return (
    <>
      <PageHead title="Quarantine" />
      <Tabs value={state} onChange={show} keepMounted={false} className="adm-tabs">
        <Tabs.List aria-label="Quarantine">
          {Object.entries(TABS).map(([value, { title }]) => (
            <Tabs.Tab key={value} value={value}>
              {title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={state} className="adm-list">
          <PagedList
            label={words.title}
            noun={words.noun}
            query={query}
            list={list}
            columns={columnsOf(state)}
            name={(f) => `${nameOf(f)}, ${formatDateTime(f.since)}`}
            empty={<EmptyState icon={IconShieldCheck} title={words.empty} text={words.text} />}
            second={(f) => <span className="cp-ell cp-grow">{f.finding ?? formatDateTime(f.since)}</span>}
            menu={state === 'Quarantined' ? menu : undefined}
          />
        </Tabs.Panel>
      </Tabs>
      {released && <ReleaseFileDialog file={released} onClose={() => setReleased(null)} />}
      {question}
    </>
  );
}

function ReleaseFileDialog({ file, onClose }: { file: HeldFile; onClose: () => void }) {
  const { form, ...rest } = useServerForm({
    initialValues: { reason: '' },
    validate: { reason: (v) => (v.trim() ? null : 'Please say why in at most 500 characters.') },
    submit: async ({ reason }) => {
      await releaseFile(file.id, reason);
      notify('success', 'The file was released.');
      onClose();
    },
  });
  return (
    <FormDialog title={`Release: ${nameOf(file)}`} label="Release" onClose={onClose} {...rest}>
      <p>{`People of ${file.organizationName} can open, download and send the file. Release it only if the finding is wrong.`}</p>
      <Textarea
        data-autofocus
        size="md"
        label="Reason"
        description="Recorded in the audit trail of the organization."
        required
        maxLength={500}
        rows={2}
        {...form.getInputProps('reason')}
      />
    </FormDialog>
  );
}
