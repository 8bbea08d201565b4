import { Button, Tabs } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { IconArrowsMaximize, IconArrowsMinimize, IconMailSearch, IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { refresh } from '@/api/query';
import type { ODataMessage } from '@/api/types';
import { formatDateTime } from '@/shared/format';
import { useShortcuts } from '@/shared/shortcuts';
import type { Column } from '@/shared/table/DataTable';
import { PAGE_SIZES_OF_20 } from '@/shared/table/listSearch';
import { PagedList } from '@/shared/table/PagedList';
import { useListState } from '@/shared/table/useListState';
import { EmptyState, ErrorState } from '@/shared/ui/blocks';
import { PageHead } from '@/shared/ui/PageHead';
import { Status } from '@/shared/ui/status';
import { runQuery } from '../runs/api';
import { EventsGrid } from '../runs/EventsGrid';
import { Steps } from '../runs/RunDetails';
import { workflowTypeOf } from '../runs/rules';
import { AttachmentsTab } from './AttachmentsTab';
import { MESSAGES, useMessages } from './api';
import { statusName } from './rules';

type Row = ODataMessage & { id: string };

const status = (row: Row) => <Status state={statusName(row.Status, row.IsDraft)} />;
const columns: Column<Row>[] = [
  { key: 'id', title: 'Id', width: 96, numeric: true, primary: true, text: (row) => row.id },
  { key: 'sender', title: 'Sender', text: (row) => row.Sender },
  { key: 'mailTo', title: 'Mail to', drop: 1, text: (row) => row.MailTo },
  { key: 'origin', title: 'Origin', width: 96, text: (row) => row.Origin },
  { key: 'workflow', title: 'Workflow id', width: 150, drop: 3, text: (row) => row.WorkflowId ?? '' },
  { key: 'status', title: 'Status', width: 120, render: status },
  { key: 'draft', title: 'Draft', width: 72, drop: 3, text: (row) => (row.IsDraft ? 'Yes' : 'No') },
  { key: 'received', title: 'Receive date', width: 190, numeric: true, drop: 2, text: (row) => formatDateTime(row.SystemReceivedDate) },
  { key: 'sent', title: 'Sent date', width: 190, numeric: true, drop: 2, text: (row) => formatDateTime(row.CreatedDate) },
];

/**
 * Messages of all organizations with their workflows, files and events. Details that name a patient are shown only for a stated
 * reason.
 */
export function MessagesPage() {
  const client = useQueryClient();
  const list = useListState({ sizes: PAGE_SIZES_OF_20, size: 20 });
  const query = useMessages(list.page, list.size, list.search.cursor);
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const expandAll = () => setIds(new Set(query.data?.items.map((row) => row.id)));
  const collapseAll = () => setIds(new Set());
  useShortcuts([
    { keys: ['+', '='], label: 'Expand all messages', run: expandAll },
    { keys: '-', label: 'Collapse all messages', run: collapseAll },
  ]);
  return (
    <>
      <PageHead
        title="Messages"
        actions={
          <>
            <Button
              variant="default"
              leftSection={<IconRefresh size={16} stroke={1.6} />}
              onClick={() => void refresh(client, MESSAGES, '/odata/eventmessages', '/odata/conversionperformance', '/api/workflows/{id}')}
            >
              Refresh
            </Button>
            <Button variant="default" leftSection={<IconArrowsMaximize size={16} stroke={1.6} />} onClick={expandAll}>
              Expand all
            </Button>
            <Button variant="default" leftSection={<IconArrowsMinimize size={16} stroke={1.6} />} onClick={collapseAll}>
              Collapse all
            </Button>
          </>
        }
      />
      <PagedList
        label="Messages"
        noun="messages"
        query={query}
        list={list}
        columns={columns}
        name={(row) => row.id}
        badge={status}
        second={(row) => (
          <span className="cp-ell">
            {row.Sender}, {formatDateTime(row.SystemReceivedDate)}
          </span>
        )}
        detail={(row) => <MessageTabs row={row} />}
        expansion={{ ids, onChange: setIds }}
        empty={<EmptyState icon={IconMailSearch} title="No messages yet" text="Sent and received messages appear here." />}
      />
    </>
  );
}

function MessageTabs({ row }: { row: Row }) {
  return (
    <Tabs defaultValue="workflows" keepMounted={false}>
      <Tabs.List aria-label={`Message ${row.id}`}>
        <Tabs.Tab value="workflows">Workflows</Tabs.Tab>
        <Tabs.Tab value="attachments">Attachments</Tabs.Tab>
        <Tabs.Tab value="events">Events</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="workflows">
        {row.WorkflowId ? <WorkflowTab row={row} id={row.WorkflowId} /> : <p className="cp-muted">This message has no workflow.</p>}
      </Tabs.Panel>
      <Tabs.Panel value="attachments">
        <AttachmentsTab messageId={row.MessageId} number={row.MailMessageId} />
      </Tabs.Panel>
      <Tabs.Panel value="events">
        <EventsGrid mailMessageId={row.MailMessageId} />
      </Tabs.Panel>
    </Tabs>
  );
}

function WorkflowTab({ row, id }: { row: Row; id: string }) {
  const { data, error, refetch } = useQuery(runQuery(id, workflowTypeOf(row.Origin)));
  if (error && !data) return <ErrorState title="The workflow could not be loaded" error={error} onRetry={() => void refetch()} />;
  if (!data)
    return (
      <div role="status" aria-label="Loading">
        <div className="cp-bone" style={{ width: '60%' }} />
      </div>
    );
  return <Steps run={data} canManage />;
}
