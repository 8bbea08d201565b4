import '../release.css';
import { Button, Menu, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconChecks, IconFolderOpen, IconMailCheck } from '@tabler/icons-react';
import type { FailedMessage } from '@/api/types';
import { formatAddress, formatDateTime, formatWhen, plural } from '@/shared/format';
import { tellsOf, useFresh } from '@/shared/hubs';
import { notify } from '@/shared/notify';
import { paths } from '@/shared/paths';
import type { Column } from '@/shared/table/DataTable';
import { CountFilter } from '@/shared/table/filters';
import { PagedList } from '@/shared/table/PagedList';
import { useListState } from '@/shared/table/useListState';
import { useGo } from '@/shared/ui/AppLink';
import { useAsk } from '@/shared/ui/AskDialog';
import { BackHead } from '@/shared/ui/BackHead';
import { EmptyState, Notice } from '@/shared/ui/blocks';
import { Status } from '@/shared/ui/status';
import { useViewport } from '@/shared/useViewport';
import { isWaiting, recipientOf, useUndelivered } from './acts';
import { acknowledgeAll, failedQuery, refreshFailed } from './api';
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

/** All messages that are still sending or were not delivered, with reasons and actions. */
export function FailedPage() {
  const go = useGo();
  const { isPhone } = useViewport();
  const list = useListState<FailedSearch>();
  const { search, page, size, set } = list;
  const query = useQuery({ ...failedQuery({ view: search.view, pageStart: page, pageSize: size }), meta: { page: true } });
  useFresh((frame) => tellsOf(frame, 'release'), refreshFailed);
  const { acts, question } = useUndelivered();
  const [ask, allQuestion] = useAsk();
  const hasFailed = query.data?.items.some((m) => !isWaiting(m)) ?? false;
  const askForAll = () =>
    ask({
      title: 'Acknowledge all failures?',
      subject: 'All messages that failed so far',
      question: 'They leave this list for everybody in your organization. They stay in Release.',
      label: 'Acknowledge all',
      run: async () => notify('success', `${plural(await acknowledgeAll(query.dataUpdatedAt), 'failure')} acknowledged.`),
      failed: 'The failures could not be acknowledged. Please try again.',
    });
  return (
    <>
      <BackHead
        title="Undelivered"
        back={{ label: 'Back to Release', run: () => go(paths.release()) }}
        actions={
          <Button variant="default" leftSection={<IconChecks size={16} stroke={1.6} />} disabled={!hasFailed} onClick={askForAll}>
            Acknowledge all
          </Button>
        }
      />
      <div className="cp-bar">
        <CountFilter
          label="Quick views"
          fullWidth={isPhone}
          value={search.view ?? 'all'}
          onChange={(v) => set({ view: v === 'all' ? undefined : (v as FailedSearch['view']) })}
          views={[
            { value: 'all', label: 'All' },
            { value: 'failed', label: 'Failed' },
            { value: 'waiting', label: 'Still sending' },
          ]}
        />
      </div>
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
            title={search.view === 'waiting' ? 'Nothing is waiting to be sent' : 'Nothing failed'}
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
        detail={(m) => (
          <div className="rel-failed">
            <Notice kind={isWaiting(m) ? 'info' : m.state === 'Uncertain' ? 'warning' : 'error'}>{m.explanation}</Notice>
            {m.reason && <p className="cp-second">{m.reason}</p>}
            <p className="cp-muted cp-num">{[formatAddress(m.address), timeOf(m)].filter(Boolean).join(' · ')}</p>
            <div className="cp-row">
              {acts(m).map(({ key, label, icon: IconOf, run, busy }) => (
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
        )}
      />
      {question}
      {allQuestion}
    </>
  );
}
