import { Button, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatDateTime } from '@/shared/format';
import { DateInput } from '@/shared/form/DateInput';
import { endOfDay, isIsoDate, startOfDay } from '@/shared/rules/dates';
import { DataTable } from '@/shared/table/DataTable';
import { ListFooter } from '@/shared/table/ListFooter';
import { Dialog } from '@/shared/ui/Dialog';
import { activityQuery, activityTypesQuery } from '../api';

const PAGE = 10;
const none = { eventType: '', start: '', end: '' };

/** Who did what with a message. */
export function ActivityDialog({ id, subject, onClose }: { id: string; subject: string; onClose: () => void }) {
  const [filter, setFilter] = useState(none);
  const [page, setPage] = useState(1);
  const types = useQuery(activityTypesQuery);
  const query = useQuery(
    activityQuery(id, {
      eventType: filter.eventType || undefined,
      start: isIsoDate(filter.start) ? startOfDay(filter.start) : undefined,
      end: isIsoDate(filter.end) ? endOfDay(filter.end) : undefined,
      page,
    }),
  );
  const change = (part: Partial<typeof none>) => {
    setFilter({ ...filter, ...part });
    setPage(1);
  };
  return (
    <Dialog
      opened
      onClose={onClose}
      title="Activity"
      footer={
        <>
          <div className="cp-grow" />
          <Button size="md" variant="default" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      <p className="cp-subject">{subject}</p>
      <div className="rel-activity-filters cp-dense">
        <Select
          label="Type"
          placeholder="All"
          clearable
          data={types.data ?? []}
          value={filter.eventType || null}
          onChange={(v) => change({ eventType: v ?? '' })}
        />
        <DateInput label="Start date" value={filter.start} onChange={(start) => change({ start })} />
        <DateInput label="End date" value={filter.end} onChange={(end) => change({ end })} />
      </div>
      <div className="rel-activity">
        <DataTable
          label="Activity"
          columns={[
            { key: 'user', title: 'User', primary: true, render: (a) => a.createdBy },
            { key: 'type', title: 'Type', width: 170, render: (a) => a.eventType },
            { key: 'date', title: 'Date', width: 190, numeric: true, render: (a) => formatDateTime(a.createdOn) },
          ]}
          rows={query.data?.items}
          rowId={(a) => a.id}
          rowName={(a) => `${a.eventType} by ${a.createdBy}`}
          error={query.error}
          errorTitle="The activity could not be loaded"
          onRetry={() => void query.refetch()}
          empty={<p className="cp-muted rel-activity-none">There are no results matching your criteria.</p>}
          stale={query.isPlaceholderData}
        />
      </div>
      {query.data && query.data.items.length > 0 && (query.data.totalCount ?? 0) > PAGE && (
        <ListFooter
          page={page}
          size={PAGE}
          fixedSize
          count={query.data.items.length}
          total={query.data.totalCount ?? query.data.items.length}
          onPage={setPage}
          onSize={() => {}}
          noun="entries"
        />
      )}
    </Dialog>
  );
}
