import '../release.css';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconChecks } from '@tabler/icons-react';
import { formatCount, plural } from '@/shared/format';
import { tellsOf, useFresh } from '@/shared/hubs';
import { notify } from '@/shared/notify';
import { paths } from '@/shared/paths';
import { CountFilter } from '@/shared/table/filters';
import { useListState } from '@/shared/table/useListState';
import { AppLink, useGo } from '@/shared/ui/AppLink';
import { useAsk } from '@/shared/ui/AskDialog';
import { BackHead } from '@/shared/ui/BackHead';
import { Notice } from '@/shared/ui/blocks';
import { useViewport } from '@/shared/useViewport';
import { isWaiting } from './acts';
import { acknowledgeAll, failedChartsQuery, failedQuery, refreshFailed } from './api';
import { FailedCharts } from './FailedCharts';
import { FailedMessages } from './FailedMessages';
import type { FailedSearch } from './search';

/** Everything that is not out yet, with reasons and actions: messages that were not delivered, and documents to check in their charts. */
export function FailedPage() {
  const go = useGo();
  const { isPhone } = useViewport();
  const list = useListState<FailedSearch>();
  const { search, page, size, set } = list;
  const areCharts = search.view === 'charts';
  const query = useQuery({
    ...failedQuery({ view: search.view === 'charts' ? undefined : search.view, pageStart: page, pageSize: size }),
    enabled: !areCharts,
    meta: { page: true },
  });
  const charts = useQuery(failedChartsQuery({ pageStart: 1, pageSize: 1 })).data?.totalCount ?? 0;
  useFresh((frame) => tellsOf(frame, 'release') || tellsOf(frame, 'intake'), refreshFailed);
  const [ask, question] = useAsk();
  const hasFailed = !areCharts && (query.data?.items.some((m) => !isWaiting(m)) ?? false);
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
            { value: 'charts', label: 'Charts', count: charts || undefined },
          ]}
        />
      </div>
      {!search.view && charts > 0 && (
        <div className="rel-charts">
          <Notice kind="warning">
            {charts === 1 ? 'A document needs attention in its chart.' : `${formatCount(charts)} documents need attention in their charts.`}{' '}
            <AppLink className="cp-link" href={paths.failedCharts}>
              Show
            </AppLink>
          </Notice>
        </div>
      )}
      {areCharts ? <FailedCharts list={list} /> : <FailedMessages query={query} list={list} />}
      {question}
    </>
  );
}
