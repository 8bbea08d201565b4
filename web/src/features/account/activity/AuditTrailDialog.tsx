import { Button } from '@mantine/core';
import { keepPreviousData, queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { quiet } from '@/api/client';
import { queryOf } from '@/api/query';
import { activityTypesQuery, AuditEntries, AuditFilter } from '@/domain/messaging/ActivityDialog';
import { Select } from '@/shared/form/Select';
import { fetchReport } from '@/shared/reportFile';
import { endOfDay, startOfDay } from '@/shared/rules/dates';
import { madeName, saveFile } from '@/shared/saveFile';
import { Dialog } from '@/shared/ui/Dialog';

const PAGE_SIZE = 10;

/** Labels of object kinds, by their names in the trail. */
const KINDS = [
  { value: 'message', label: 'Messages' },
  { value: 'attachment', label: 'Files' },
  { value: 'triagebatch', label: 'Batches' },
  { value: 'task', label: 'Exports and print jobs' },
  { value: 'report', label: 'Reports' },
  { value: 'user', label: 'Users' },
  { value: 'organization', label: 'Settings of the organization' },
  { value: 'documentsource', label: 'Addresses and fax numbers' },
  { value: 'savedaddresses', label: 'Saved addresses' },
  { value: 'intakerule', label: 'Intake rules' },
  { value: 'releasetype', label: 'Release types' },
  { value: 'webhook', label: 'Webhooks' },
];

type Filter = { kind: string; eventType?: string; start?: string; end?: string; page: number };

const narrowed = ({ eventType, start, end }: Filter) => ({
  eventType,
  start: start && startOfDay(start),
  end: end && endOfDay(end),
});

async function saveTrail(filter: Filter) {
  const words = Object.entries(narrowed(filter)).filter((e): e is [string, string] => Boolean(e[1]));
  const file = await fetchReport(`/api/audit/entries/${filter.kind}/csv?${new URLSearchParams(words)}`);
  if (file) saveFile(file, madeName('audit-trail', 'csv'));
}

const trailQuery = (filter: Filter) =>
  queryOptions({
    ...queryOf('get', '/api/audit/entries/{type}', {
      params: {
        path: { type: filter.kind },
        query: { ...narrowed(filter), page: filter.page, pageSize: PAGE_SIZE },
      },
      ...quiet,
    }),
    placeholderData: keepPreviousData,
  });

/** The audit trail of the organization by kind of object, for administrators. */
export function AuditTrailDialog({ onClose }: { onClose: () => void }) {
  const [filter, setFilter] = useState<Filter>({ kind: 'message', page: 1 });
  const types = useQuery(activityTypesQuery);
  const entries = useQuery(trailQuery(filter));
  const save = useMutation({ mutationFn: saveTrail });
  const set = (change: Partial<Filter>) => setFilter({ ...filter, page: 1, ...change });
  return (
    <Dialog
      opened
      onClose={onClose}
      title="Audit trail"
      size={860}
      footer={
        <>
          <Button size="md" variant="default" loading={save.isPending} onClick={() => save.mutate(filter)}>
            Download
          </Button>
          <div className="cp-grow" />
          <Button size="md" variant="default" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      <div className="cp-row cp-activityfilter">
        <Select
          data-autofocus
          label="About"
          data={KINDS}
          allowDeselect={false}
          value={filter.kind}
          onChange={(v) => v && set({ kind: v })}
        />
        <AuditFilter types={types.data} filter={filter} onChange={set} />
      </div>
      <p className="cp-second">At most 31 days are shown, up to the end date or now.</p>
      <AuditEntries entries={entries} page={filter.page} onPage={(page) => setFilter({ ...filter, page })} namesObjects />
    </Dialog>
  );
}
