import { Button, Menu, Tooltip } from '@mantine/core';
import { IconFolderOpen, IconMailCheck } from '@tabler/icons-react';
import type { FailedMessage } from '@/api/types';
import { formatAddress, formatDateTime, formatWhen } from '@/shared/format';
import { paths } from '@/shared/paths';
import type { Column } from '@/shared/table/DataTable';
import { PagedList } from '@/shared/table/PagedList';
import type { useListState } from '@/shared/table/useListState';
import { useGo } from '@/shared/ui/AppLink';
import { EmptyState, Notice } from '@/shared/ui/blocks';
import { Status } from '@/shared/ui/status';
import { isWaiting, recipientOf, type UndeliveredAct, useUndelivered } from './acts';
import type { FailedSearch } from './search';

const subjectOf = (m: FailedMessage) => m.subject || 'No subject';

/** The state, with the time of the next attempt or of the failure. */
const timeOf = (m: FailedMessage) =>
  isWaiting(m) ? (m.nextAt ? `Next attempt ${formatDateTime(m.nextAt)}` : '') : formatWhen(m.failedAt ?? m.acceptedAt);

const columns: Column<FailedMessage>[] = [
  { key: 'subject', title: 'Subject', primary: true, text: subjectOf },
  { key: 'to', title: 'To', width: 220, text: recipientOf },
  { key: 'what', title: 'What happened', width: 360, drop: 2, text: (m) => m.explanation },
  { key: 'state', title: 'Status', width: 112, render: (m) => <Status state={isWaiting(m) ? 'Pending' : m.state} /> },
  { key: 'time', title: 'Time', width: 190, numeric: true, drop: 1, text: timeOf },
];

type Props = {
  query: Parameters<typeof PagedList<FailedMessage>>[0]['query'];
  list: ReturnType<typeof useListState<FailedSearch>>;
};

/** Messages that are still sending or were not delivered. */
export function FailedMessages({ query, list }: Props) {
  const go = useGo();
  const { acts, question } = useUndelivered();
  return (
    <>
      <PagedList
        label="Undelivered messages"
        noun="messages"
        query={query}
        list={list}
        columns={columns}
        name={subjectOf}
        href={(m) => paths.releaseMessage(m.messageId)}
        badge={(m) => <Status state={isWaiting(m) ? 'Pending' : m.state} />}
        second={(m) => <span className="cp-ell cp-grow">{recipientOf(m)}</span>}
        empty={
          <EmptyState
            icon={IconMailCheck}
            title={list.search.view === 'waiting' ? 'Nothing is waiting to be sent' : 'Nothing failed'}
            text="Messages that are still being sent or were not delivered appear here until they are sent or acknowledged."
          />
        }
        menu={(m) => (
          <>
            <Menu.Item leftSection={<IconFolderOpen size={16} stroke={1.6} />} onClick={() => go(paths.releaseMessage(m.messageId))}>
              Open
            </Menu.Item>
            {acts(m).map(({ key, label, icon: IconOf, run }) => (
              <Menu.Item key={key} leftSection={<IconOf size={16} stroke={1.6} />} onClick={run}>
                {label}
              </Menu.Item>
            ))}
          </>
        )}
        detail={(m) => <Detail message={m} acts={acts(m)} />}
      />
      {question}
    </>
  );
}

function Detail({ message: m, acts }: { message: FailedMessage; acts: UndeliveredAct[] }) {
  return (
    <div className="rel-failed">
      <Notice kind={isWaiting(m) ? 'info' : m.state === 'Uncertain' ? 'warning' : 'error'}>{m.explanation}</Notice>
      {m.reason && <p className="cp-second">{m.reason}</p>}
      <p className="cp-muted cp-num">{[formatAddress(m.address), timeOf(m)].filter(Boolean).join(' · ')}</p>
      <div className="cp-row">
        {acts.map(({ key, label, icon: IconOf, run, busy }) => (
          <Button key={key} variant="default" leftSection={<IconOf size={16} stroke={1.6} />} loading={busy} onClick={run}>
            {label}
          </Button>
        ))}
        {!m.canSendNow && (
          <Tooltip label="Only people who can send from its address or number can send it again.">
            <span className="cp-muted">Sent from {formatAddress(m.fromAddress)}</span>
          </Tooltip>
        )}
      </div>
    </div>
  );
}
