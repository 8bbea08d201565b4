import { Button } from '@mantine/core';
import { IconArrowsSplit, IconRefresh } from '@tabler/icons-react';
import { queryOf } from '@/api/query';
import type { Run } from '@/api/types';
import { useHasRole } from '@/app/session';
import { CrudPage } from '@/shared/crud/CrudPage';
import { formatAddress } from '@/shared/format';
import { paths } from '@/shared/paths';
import { PAGE_SIZES_OF_20 } from '@/shared/table/listSearch';
import { useGo } from '@/shared/ui/AppLink';
import { Status } from '@/shared/ui/status';
import { RUNS, useRefreshRuns } from './api';
import { RunDetails } from './RunDetails';
import { channelLabel, formatSpan, formatUtc, typeLabel } from './rules';

type Status = Run['status'];
const choices = (values: string[]) => values.map((value) => ({ value, label: value }));
const STATUSES = choices(['Failed', 'Running', 'Pending', 'Completed']);
const CHANNELS = choices(['Direct', 'Fax', 'Interface']);
const TYPES = [
  { value: 'intake', label: 'Intake' },
  { value: 'release', label: 'Release' },
];
const one = <T extends string>(value: string | undefined, of: { value: string }[]) =>
  of.find((c) => c.value === value)?.value as T | undefined;

/** A run whose step waits for its next attempt is shown as such. */
const shown = (run: Run) => (run.status !== 'Failed' && run.steps.some((step) => step.status === 'Retrying') ? 'Retrying' : run.status);

/** Workflows that send and receive messages. */
export function RunsPage() {
  const go = useGo();
  const canManage = useHasRole('SysAdmin');
  const refreshRuns = useRefreshRuns();
  return (
    <CrudPage
      title="Workflows"
      noun="workflow"
      icon={IconArrowsSplit}
      sizes={PAGE_SIZES_OF_20}
      size={20}
      goesOnById
      list={({ page, cursor, size, filter }) =>
        queryOf('get', RUNS, {
          params: {
            query: {
              status: one<Status>(filter('status'), STATUSES),
              type: one<'intake' | 'release'>(filter('type'), TYPES),
              channel: one<'Direct' | 'Fax' | 'Interface'>(filter('channel'), CHANNELS),
              cursor,
              pageNumber: cursor ? undefined : page,
              pageSize: size,
            },
          },
        })
      }
      filters={[
        { name: 'status', label: 'Status', choices: STATUSES },
        { name: 'type', label: 'Type', choices: TYPES },
        { name: 'channel', label: 'Channel', choices: CHANNELS },
      ]}
      columns={[
        { key: 'organization', title: 'Organization', primary: true, text: (run) => run.organizationName ?? run.id },
        { key: 'type', title: 'Type', width: 92, text: (run) => typeLabel(run.type) },
        { key: 'channel', title: 'Channel', width: 120, drop: 2, text: (run) => channelLabel(run.channel) },
        { key: 'sender', title: 'Sender', drop: 2, text: (run) => formatAddress(run.mailMessage?.sender ?? '') },
        { key: 'mailTo', title: 'Mail to', drop: 3, text: (run) => run.mailMessage?.mailTo ?? '' },
        { key: 'created', title: 'Created (UTC)', width: 150, numeric: true, text: (run) => formatUtc(run.createdTime) },
        { key: 'duration', title: 'Duration', width: 110, numeric: true, drop: 1, text: (run) => formatSpan(run.duration) },
        { key: 'status', title: 'Status', width: 130, render: (run) => <Status state={shown(run)} /> },
      ]}
      badge={(run) => <Status state={shown(run)} />}
      second={(run) => `${typeLabel(run.type)}, ${channelLabel(run.channel)}, ${formatUtc(run.createdTime)} UTC`}
      detail={(run) => <RunDetails run={run} canManage={canManage} />}
      actions={
        <>
          <Button variant="default" leftSection={<IconRefresh size={16} stroke={1.6} />} onClick={refreshRuns}>
            Refresh
          </Button>
          {canManage && (
            <Button variant="default" onClick={() => go(paths.adminRetry)}>
              Failures by cause
            </Button>
          )}
        </>
      }
      words={{ emptyText: 'Sent and received messages appear here.', noMatchText: 'Try other filters.' }}
    />
  );
}
