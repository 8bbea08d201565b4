import { Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconExternalLink, IconFileCheck, IconFolderOpen } from '@tabler/icons-react';
import type { FiledByRule } from '@/api/types';
import { isRunning } from '@/domain/charts/filings';
import { FilingState } from '@/domain/charts/FilingState';
import { useFilingActs } from '@/domain/charts/useFilingActs';
import { formatDateTime } from '@/shared/format';
import { paths } from '@/shared/paths';
import type { Column } from '@/shared/table/DataTable';
import { PagedList } from '@/shared/table/PagedList';
import type { useListState } from '@/shared/table/useListState';
import { useGo } from '@/shared/ui/AppLink';
import { EmptyState, Notice } from '@/shared/ui/blocks';
import { filedQuery } from './api';

/** How often the list is read while a document is on its way. */
const POLL_MS = 2000;

const nameOf = (filing: FiledByRule) => filing.patientName || 'No patient';
const chartOf = ({ chartUrl, integrationName }: FiledByRule) =>
  chartUrl ? (
    <a className="cp-link" href={chartUrl} target="_blank" rel="noreferrer">
      {integrationName || 'Chart'}
    </a>
  ) : (
    integrationName
  );

const columns: Column<FiledByRule>[] = [
  { key: 'time', title: 'Time', width: 170, numeric: true, text: (f) => formatDateTime(f.at) },
  { key: 'patient', title: 'Patient', primary: true, text: nameOf },
  { key: 'document', title: 'Document', width: 200, drop: 2, text: (f) => f.fileName || 'A deleted document' },
  { key: 'chart', title: 'Chart', width: 170, drop: 3, render: chartOf },
  { key: 'rule', title: 'Rule', width: 150, drop: 1, text: (f) => f.ruleName },
  { key: 'percent', title: 'Certainty', width: 90, numeric: true, drop: 2, text: (f) => `${f.percent}%` },
  { key: 'state', title: 'Status', width: 140, render: (f) => <FilingState state={f.state} /> },
];

type Props = { list: ReturnType<typeof useListState>; request: Parameters<typeof filedQuery>[0] };

/** The documents that rules filed into charts. */
export function FiledList({ list, request }: Props) {
  const go = useGo();
  const query = useQuery({
    ...filedQuery(request),
    meta: { page: true },
    refetchInterval: ({ state }) => (state.data?.items.some(isRunning) ? POLL_MS : false),
  });
  const { acts, question, login } = useFilingActs();
  return (
    <>
      <PagedList
        label="Documents filed by rules"
        noun="documents"
        query={query}
        list={list}
        columns={columns}
        name={nameOf}
        href={(f) => paths.intakeMessage(f.messageId)}
        badge={(f) => <FilingState state={f.state} />}
        second={(f) => <span className="cp-ell">{[f.ruleName, `${f.percent}%`, formatDateTime(f.at)].join(' · ')}</span>}
        empty={
          <EmptyState
            icon={IconFileCheck}
            title="Nothing was filed by a rule"
            text="Documents that intake rules file into a chart appear here on the day they are filed."
          />
        }
        menu={(f) => (
          <>
            <Menu.Item leftSection={<IconFolderOpen size={16} stroke={1.6} />} onClick={() => go(paths.intakeMessage(f.messageId))}>
              Open message
            </Menu.Item>
            {f.chartUrl && (
              <Menu.Item
                component="a"
                href={f.chartUrl}
                target="_blank"
                rel="noreferrer"
                leftSection={<IconExternalLink size={16} stroke={1.6} />}
              >
                Open chart
              </Menu.Item>
            )}
            {acts(f).map(({ key, label, icon: IconOf, run }) => (
              <Menu.Item key={key} leftSection={<IconOf size={16} stroke={1.6} />} onClick={run}>
                {label}
              </Menu.Item>
            ))}
          </>
        )}
        detail={(f) => <FiledDetail filing={f} />}
      />
      {question}
      {login}
    </>
  );
}

function FiledDetail({ filing: f }: { filing: FiledByRule }) {
  return (
    <div className="filed-detail">
      {f.problem && <Notice kind="error">{f.problem}</Notice>}
      <span className="cp-second">{[f.fileName || 'A deleted document', `From ${f.fromName || f.fromAddress}`].join(' · ')}</span>
      <span className="cp-second">
        Rule {f.ruleName}, {f.percent}% certain{f.integrationName && <> · {chartOf(f)}</>}
      </span>
    </div>
  );
}
