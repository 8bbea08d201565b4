import { Button, Menu, Switch } from '@mantine/core';
import { keepPreviousData, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { IconArrowsExchange, IconFolderOpen, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { ApiError, api, quiet, unwrap } from '@/api/client';
import { itemsOf, queryOf } from '@/api/query';
import type { TrackedConversation } from '@/api/types';
import { refreshConversations } from '@/domain/conversations/api';
import { refreshReleases } from '@/domain/messaging/api';
import { dueOf, stateOf, turnOf } from '@/domain/conversations/words';
import { EditDialog } from '@/shared/crud/EditDialog';
import { useDebounced } from '@/shared/debounce';
import { dateField } from '@/shared/form/dateField';
import { type Field, textField } from '@/shared/form/fields';
import { ListSelect } from '@/shared/form/inputs';
import { formatAddress, formatDateTime } from '@/shared/format';
import { notify } from '@/shared/notify';
import { paths } from '@/shared/paths';
import type { Column } from '@/shared/table/DataTable';
import { PagedList } from '@/shared/table/PagedList';
import { useListState } from '@/shared/table/useListState';
import { useGo } from '@/shared/ui/AppLink';
import { ChoicesFailed, EmptyState, Notice } from '@/shared/ui/blocks';
import { Dialog } from '@/shared/ui/Dialog';
import { PageHead } from '@/shared/ui/PageHead';
import { Status } from '@/shared/ui/status';

const trackedQuery = (isOpen: boolean, isOverdue: boolean, pageStart: number, pageSize: number) =>
  queryOptions({
    ...queryOf('post', '/api/conversations/tracked', { body: { isOpen, isOverdue, pageStart, pageSize }, ...quiet }),
    placeholderData: keepPreviousData,
    meta: { page: true },
  });

const draftsQuery = (filter: string) =>
  queryOptions({
    ...itemsOf(queryOf('post', '/api/messages/_search', { body: { isDraft: true, filter, pageStart: 1, pageSize: 25 }, ...quiet })),
    placeholderData: keepPreviousData,
  });

const hrefOf = (r: TrackedConversation) => (r.isLatestOwn ? paths.releaseMessage(r.messageId) : paths.intakeMessage(r.messageId));
const latest = (r: TrackedConversation) => turnOf(r, 'them');

const State = ({ of }: { of: TrackedConversation }) => (
  <Status state={of.isUndelivered ? 'Failed' : of.conversationStatus}>
    {of.isUndelivered ? 'Not delivered' : stateOf(of.conversationStatus)}
  </Status>
);

const columns: Column<TrackedConversation>[] = [
  { key: 'patient', title: 'Patient', width: 200, primary: true, text: (r) => r.patientName || 'No name' },
  { key: 'reason', title: 'Reason', drop: 2, text: (r) => r.reason },
  {
    key: 'other',
    title: 'With',
    width: 240,
    drop: 1,
    text: (r) => `${r.role === 'Initiator' ? 'To' : 'From'} ${formatAddress(r.otherAddress)}`,
  },
  { key: 'state', title: 'Status', width: 130, render: (r) => <State of={r} /> },
  { key: 'turn', title: 'Next', width: 140, text: latest },
  {
    key: 'due',
    title: 'Due',
    width: 180,
    text: dueOf,
    render: (r) => (r.isOverdue ? <Status state="Overdue">{dueOf(r)}</Status> : dueOf(r)),
  },
  { key: 'modified', title: 'Latest', width: 170, drop: 3, numeric: true, render: (r) => formatDateTime(r.modifiedDate) },
];

/** Referrals that are followed until they are closed, sent and received ones. */
export function ReferralsPage() {
  const go = useGo();
  const list = useListState({ size: 25 });
  const { page, size } = list;
  const isOpen = list.filter('all') !== 'true';
  const isOverdue = list.filter('overdue') === 'true';
  const query = useQuery(trackedQuery(isOpen, isOverdue, page, size));
  const [isNew, setNew] = useState(false);
  return (
    <>
      <PageHead
        title="Referrals"
        actions={
          <>
            <Button variant="default" onClick={() => setNew(true)}>
              From a draft
            </Button>
            <Button leftSection={<IconPlus size={16} stroke={2} />} onClick={() => go(paths.referralNew)}>
              New referral
            </Button>
          </>
        }
      />
      <div className="cp-bar">
        <Switch
          label="Overdue only"
          checked={isOverdue}
          onChange={(e) => list.setFilter('overdue', e.currentTarget.checked ? 'true' : undefined)}
        />
        <Switch
          label="Include closed"
          checked={!isOpen}
          onChange={(e) => list.setFilter('all', e.currentTarget.checked ? 'true' : undefined)}
        />
      </div>
      <PagedList
        label="Referrals"
        noun="referrals"
        query={query}
        list={list}
        columns={columns}
        name={(r) => `${r.patientName}, ${r.reason}`}
        href={hrefOf}
        badge={(r) => <State of={r} />}
        second={(r) => <span className="cp-ell">{[latest(r), dueOf(r)].filter(Boolean).join(' · ')}</span>}
        menu={(r) => (
          <Menu.Item leftSection={<IconFolderOpen size={16} stroke={1.6} />} onClick={() => go(hrefOf(r))}>
            Open the latest message
          </Menu.Item>
        )}
        empty={
          <EmptyState
            icon={IconArrowsExchange}
            title={isOverdue ? 'No referral is overdue' : 'No open referral'}
            text="A referral is followed until the result is back: request, appointment, outcome."
          />
        }
      />
      {isNew && <NewReferral onClose={() => setNew(false)} />}
    </>
  );
}

const SEARCH_DELAY_MS = 300;

/** Choice of a draft, latest first, with a search. */
function DraftSelect(props: Omit<Parameters<typeof ListSelect>[0], 'data' | 'onSearch'>) {
  const [typed, setTyped] = useState('');
  const words = useDebounced(typed.trim(), SEARCH_DELAY_MS);
  // The field's text is the chosen draft, not a search.
  const [shown, setShown] = useState('');
  const drafts = useQuery(draftsQuery(words === shown ? '' : words));
  const data = (drafts.data ?? []).map((d) => ({
    value: d.id,
    label: [d.subject || 'No subject', d.patientName, d.toAddresses.map(formatAddress).join(', ')].filter(Boolean).join(' · '),
  }));
  return (
    <>
      <ChoicesFailed of={[drafts]} />
      <ListSelect
        description="Search by subject, patient or recipient. The draft needs a patient, one Direct address as its recipient and the referral note as a C-CDA document. It is sent at once."
        data={data}
        onSearch={(text) => {
          setTyped(text);
          if (data.some((d) => d.label === text)) setShown(text.trim());
        }}
        nothingFoundMessage={drafts.isFetching || words !== typed.trim() ? 'Searching…' : 'No match'}
        {...props}
      />
    </>
  );
}

const draftField: Field<string | null> = {
  label: 'Draft',
  required: 'Please choose a draft.',
  initial: null,
  show: (value) => value ?? 'none',
  control: (props, bound) => <DraftSelect {...props} {...bound} />,
};

const LOOK_IN_DRAFT =
  'A document of this draft names another patient. Check both in “Review and send”, and send it from there with “Track as referral”.';

/** A draft with patient, recipient and C-CDA document becomes a referral. */
function NewReferral({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const go = useGo();
  const drafts = useQuery(draftsQuery(''));
  if (drafts.data?.length === 0) return <NoDraft onClose={onClose} />;
  const fields = {
    messageId: draftField,
    reason: textField('Reason', { required: 'Please say why the patient is referred.' }),
    dueDate: dateField('Result due', { description: 'Default: 30 days' }),
  };
  return (
    <EditDialog
      noun="referral"
      title="New referral"
      label="Send referral"
      fields={fields}
      waits={drafts.isPending || drafts.error ? { error: drafts.error, retry: () => void drafts.refetch() } : undefined}
      save={async ({ messageId, reason, dueDate }) => {
        try {
          await unwrap(api.POST('/api/conversations', { body: { messageId: messageId!, reason, dueDate } }));
        } catch (error) {
          // The draft's screen shows both.
          if (error instanceof ApiError && error.modelState.acceptsPatient) {
            notify('warning', LOOK_IN_DRAFT);
            go(paths.releaseDraft(messageId!));
          }
          throw error;
        }
        await refreshConversations(client);
        void refreshReleases(client);
      }}
      done="The referral was sent."
      failed="The referral could not be sent. Please try again."
      onClose={onClose}
    />
  );
}

function NoDraft({ onClose }: { onClose: () => void }) {
  const go = useGo();
  return (
    <Dialog
      opened
      onClose={onClose}
      title="New referral"
      size={520}
      footer={
        <>
          <div className="cp-grow" />
          <Button size="md" variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button size="md" onClick={() => go(paths.referralNew)}>
            New referral
          </Button>
        </>
      }
    >
      <Notice kind="info">
        There is no draft. Create one with a patient, one Direct address and the referral note as a C-CDA document.
      </Notice>
    </Dialog>
  );
}
