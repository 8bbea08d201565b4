import { Button, Menu } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { IconCheck, IconFileCheck, IconFolderOpen } from '@tabler/icons-react';
import type { FailedFiling } from '@/api/types';
import { acknowledge, isFailed, isRunning } from '@/domain/charts/filings';
import { FilingState, stateWords } from '@/domain/charts/FilingState';
import { useFilingActs } from '@/domain/charts/useFilingActs';
import { formatDateTime } from '@/shared/format';
import { paths } from '@/shared/paths';
import type { Column } from '@/shared/table/DataTable';
import { PagedList } from '@/shared/table/PagedList';
import type { useListState } from '@/shared/table/useListState';
import { useGo } from '@/shared/ui/AppLink';
import { EmptyState, Notice } from '@/shared/ui/blocks';
import { failedChartsQuery } from './api';
import type { FailedSearch } from './search';

/** How often the list is read while a document is on its way. */
const POLL_MS = 5000;

const nameOf = (f: FailedFiling) => f.subject || f.fileName || 'A deleted document';
const chartOf = (f: FailedFiling) => [f.patientName, f.integrationName].filter(Boolean).join(', ');
const timeOf = (f: FailedFiling) => (f.nextAt ? `Next attempt ${formatDateTime(f.nextAt)}` : formatDateTime(f.at));

const columns: Column<FailedFiling>[] = [
  { key: 'subject', title: 'Subject', primary: true, text: nameOf },
  { key: 'to', title: 'Chart', width: 220, text: chartOf },
  { key: 'what', title: 'What happened', width: 320, drop: 2, text: (f) => f.explanation },
  { key: 'state', title: 'Status', width: 310, render: (f) => <FilingState state={f.state} words={stateWords(f)} /> },
  { key: 'time', title: 'Time', width: 190, numeric: true, drop: 1, text: timeOf },
];

/** Documents that are on their way for long, could not be filed or sent, or could not be taken back. */
export function FailedCharts({ list }: { list: ReturnType<typeof useListState<FailedSearch>> }) {
  const go = useGo();
  const client = useQueryClient();
  const query = useQuery({
    ...failedChartsQuery({ pageStart: list.page, pageSize: list.size }),
    meta: { page: true },
    refetchInterval: ({ state }) => (state.data?.items.some(isRunning) ? POLL_MS : false),
  });
  const { acts, question, login } = useFilingActs();
  const seen = useMutation({ mutationFn: (f: FailedFiling) => acknowledge(client, f) });
  const all = (f: FailedFiling) => [
    ...acts(f),
    ...(isFailed(f)
      ? [
          {
            key: 'seen',
            label: 'Acknowledge',
            icon: IconCheck,
            run: () => seen.mutate(f),
            busy: seen.isPending && seen.variables.id === f.id,
          },
        ]
      : []),
  ];
  return (
    <>
      <PagedList
        label="Documents to check"
        noun="documents"
        query={query}
        list={list}
        columns={columns}
        name={nameOf}
        href={(f) => paths.intakeMessage(f.messageId)}
        badge={(f) => <FilingState state={f.state} />}
        second={(f) => <span className="cp-ell cp-grow">{[stateWords(f), chartOf(f)].filter(Boolean).join(' · ')}</span>}
        empty={
          <EmptyState
            icon={IconFileCheck}
            title="No documents to check"
            text="Documents that could not be filed, sent or taken back, or have waited for more than ten minutes, appear here."
          />
        }
        menu={(f) => (
          <>
            <Menu.Item leftSection={<IconFolderOpen size={16} stroke={1.6} />} onClick={() => go(paths.intakeMessage(f.messageId))}>
              Open message
            </Menu.Item>
            {all(f).map(({ key, label, icon: IconOf, run }) => (
              <Menu.Item key={key} leftSection={<IconOf size={16} stroke={1.6} />} onClick={run}>
                {label}
              </Menu.Item>
            ))}
          </>
        )}
        detail={(f) => (
          <div className="rel-failed">
            <Notice kind={isFailed(f) ? 'error' : 'info'}>{f.explanation}</Notice>
            <p className="cp-muted cp-num">
              {[f.fileName || 'A deleted document', f.filedBy && `By ${f.filedBy}`, timeOf(f)].filter(Boolean).join(' · ')}
            </p>
            <div className="cp-row">
              {all(f).map(({ key, label, icon: IconOf, run, busy }) => (
                <Button key={key} variant="default" leftSection={<IconOf size={16} stroke={1.6} />} loading={busy} onClick={run}>
                  {label}
                </Button>
              ))}
              <Button variant="subtle" onClick={() => go(paths.intakeMessage(f.messageId))}>
                Open message
              </Button>
            </div>
          </div>
        )}
      />
      {question}
      {login}
    </>
  );
}
