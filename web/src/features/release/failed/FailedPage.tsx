import '../release.css';
import { Button, Menu, Tooltip } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { IconCheck, IconChecks, IconFolderOpen, IconMailCheck, IconRefresh, IconUserEdit } from '@tabler/icons-react';
import type { FailedMessage } from '@/api/types';
import { useProfile } from '@/app/session';
import { formatAddress, formatDateTime, formatWhen, plural } from '@/shared/format';
import { tellsOf, useHubEvents } from '@/shared/hubs';
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
import { FaxIcon } from '@/shared/ui/icons';
import { Status } from '@/shared/ui/status';
import { useViewport } from '@/shared/useViewport';
import { acknowledge, acknowledgeAll, draftFor, failedQuery, faxNumberOf, refreshFailed, sendNow } from './api';
import type { FailedSearch } from './search';

const EVENT_DELAY_MS = 500;

const subjectOf = (m: FailedMessage) => m.subject || 'No subject';
const recipientOf = (m: FailedMessage) => m.name || formatAddress(m.address);
const isWaiting = (m: FailedMessage) => m.state === 'Queued';
const sendLabel = (m: FailedMessage) => (isWaiting(m) ? 'Send now' : 'Try again');

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

/** What can be done about a message that did not arrive. */
function useActs() {
  const go = useGo();
  const { orgIsActivated } = useProfile();
  const [ask, question] = useAsk();
  const open = (id: string) => go(paths.releaseDraft(id));
  const redirect = useMutation({ mutationFn: (m: FailedMessage) => draftFor(m, null), onSuccess: open });
  const fax = useMutation({
    mutationFn: async (m: FailedMessage) => {
      const number = await faxNumberOf(m);
      return { number, id: await draftFor(m, number) };
    },
    onSuccess: ({ number, id }) => {
      if (!number) notify('info', 'The directory knows no fax number of this recipient. Please enter it.');
      open(id);
    },
  });
  const seen = useMutation({ mutationFn: (m: FailedMessage) => acknowledge(m.id) });
  const again = useMutation({
    mutationFn: sendNow,
    onSuccess: () => notify('success', 'The message is sent again.'),
  });
  const send = (m: FailedMessage) =>
    m.state === 'Uncertain'
      ? ask({
          title: 'Send it again?',
          subject: recipientOf(m),
          question: 'If it arrived already, the recipient gets it twice.',
          label: 'Send again',
          run: () => sendNow(m),
          done: 'The message is sent again.',
          failed: 'The message could not be sent again. Please try again.',
        })
      : again.mutate(m);
  const canWrite = orgIsActivated !== false;
  const acts = (m: FailedMessage) => [
    ...(m.canSendNow ? [{ key: 'send', label: sendLabel(m), icon: IconRefresh, run: () => send(m), busy: again.isPending }] : []),
    ...(canWrite && !isWaiting(m)
      ? [{ key: 'redirect', label: 'Change recipient', icon: IconUserEdit, run: () => redirect.mutate(m), busy: redirect.isPending }]
      : []),
    ...(canWrite && !isWaiting(m) && m.kind === 'DirectMessage'
      ? [{ key: 'fax', label: 'Send by fax', icon: FaxIcon, run: () => fax.mutate(m), busy: fax.isPending }]
      : []),
    ...(isWaiting(m) ? [] : [{ key: 'seen', label: 'Acknowledge', icon: IconCheck, run: () => seen.mutate(m), busy: seen.isPending }]),
  ];
  return { acts, question };
}

/** One list of everything that is not out yet or did not arrive, with the reason and what can be done. */
export function FailedPage() {
  const go = useGo();
  const { isPhone } = useViewport();
  const list = useListState<FailedSearch>();
  const { search, page, size, set } = list;
  const query = useQuery(failedQuery({ view: search.view, pageStart: page, pageSize: size }));
  const look = useDebouncedCallback(() => void refreshFailed(), EVENT_DELAY_MS);
  useHubEvents((frame) => tellsOf(frame, 'release') && look());
  const { acts, question } = useActs();
  const [ask, allQuestion] = useAsk();
  const hasFailed = query.data?.items.some((m) => !isWaiting(m)) ?? false;
  const askForAll = () =>
    ask({
      title: 'Acknowledge all failures?',
      subject: 'All messages that failed so far',
      question: 'They leave this list for everybody in your organization. You find them in Release as before.',
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
            { value: 'waiting', label: 'Not out yet' },
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
        onOpen={(m) => go(paths.releaseMessage(m.messageId))}
        href={(m) => paths.releaseMessage(m.messageId)}
        badge={(m) => <Status state={isWaiting(m) ? 'Pending' : m.state} />}
        second={(m) => <span className="cp-ell cp-grow">{recipientOf(m)}</span>}
        empty={
          <EmptyState
            icon={IconMailCheck}
            title={search.view === 'waiting' ? 'Everything is out' : 'Nothing failed'}
            text="Messages that have not left yet, or that did not arrive, stand here until they are sent or acknowledged."
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
                <Tooltip label="Only people who may send from its address or number can send it again.">
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
