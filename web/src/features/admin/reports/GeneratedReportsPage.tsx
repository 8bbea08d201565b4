import { UnstyledButton } from '@mantine/core';
import { IconReportAnalytics } from '@tabler/icons-react';
import { api, rawFetch } from '@/api/client';
import { queryOf } from '@/api/query';
import type { GeneratedReport, ReportKind } from '@/api/types';
import { now } from '@/shared/clock';
import { CrudPage } from '@/shared/crud/CrudPage';
import { dateField } from '@/shared/form/dateField';
import { choiceField } from '@/shared/form/fields';
import { formatDay, formatSize } from '@/shared/format';
import { endOfDay, reportDateErrors, reportRange, startOfDay } from '@/shared/rules/dates';
import { madeName, saveFile } from '@/shared/saveFile';
import { useRun } from '@/shared/ui/AskDialog';
import { Status } from '@/shared/ui/status';

const PATH = '/api/admin/generated_reports';
const LOOKS_EVERY_MS = 3_000;

const KINDS: { value: ReportKind; label: string }[] = [
  { value: 'Messages', label: 'Messages' },
  { value: 'Devices', label: 'Devices' },
  { value: 'DirectAddresses', label: 'Direct Addresses' },
  { value: 'Organizations', label: 'Organizations' },
  { value: 'Users', label: 'Users' },
  { value: 'ContactsStatistics', label: 'Contacts Statistics' },
];

type Values = Record<string, unknown>;
const hasDates = ({ report }: Values) => report === 'Messages' || report === 'Devices';
const dayOf = (values: Values, which: 'start' | 'end') => (values[which] as string | null) ?? '';
const reportDay = (label: string, which: 'start' | 'end') =>
  dateField(label, {
    when: hasDates,
    required: true,
    half: true,
    check: (_, values) => reportDateErrors({ start: dayOf(values, 'start'), end: dayOf(values, 'end') }, now())[which] ?? null,
  });
const fields = {
  report: choiceField<ReportKind>('Report', KINDS, { required: true }),
  start: reportDay('Start Date', 'start'),
  end: reportDay('End Date', 'end'),
};

/** Polls until all shown reports are done. */
const looksAgain = ({ state }: { state: { data?: { items: GeneratedReport[] } } }) =>
  state.data?.items.some((r) => r.state === 'Processing') ? LOOKS_EVERY_MS : false;

const span = ({ start, end }: GeneratedReport) => (start && end ? `${formatDay(start)} – ${formatDay(end)}` : '');

/** Reports created in the background and kept for a week. */
export const GeneratedReportsPage = () => (
  <CrudPage
    title="Generated Reports"
    noun="report"
    icon={IconReportAnalytics}
    list={({ page, size, sort }) => ({
      ...queryOf('get', PATH, { params: { query: { sortDir: sort.dir, pageNumber: page, pageSize: size } } }),
      refetchInterval: looksAgain,
    })}
    columns={[
      { key: 'name', title: 'Report', primary: true, text: (r) => r.name },
      { key: 'file', title: 'File', width: 280, render: (r) => <ReportFile report={r} /> },
      { key: 'createDate', title: 'Created', width: 140, sortable: true, text: (r) => formatDay(r.createDate) },
      { key: 'dates', title: 'Dates', width: 240, drop: 1, text: span },
      { key: 'by', title: 'Requested by', width: 220, drop: 2, text: (r) => r.requestedBy },
      { key: 'expires', title: 'Kept until', width: 140, drop: 1, text: (r) => formatDay(r.expirationDate) },
    ]}
    sort={{ by: 'createDate', dir: 'desc' }}
    fields={fields}
    initial={reportRange(now())}
    create={({ report, start, end }) => {
      const days = hasDates({ report }) ? { start: startOfDay(start!), end: endOfDay(end!) } : {};
      return api.POST(PATH, { body: { report: report!, ...days } });
    }}
    remove={({ id }) => api.DELETE(`${PATH}/{id}`, { params: { path: { id } } })}
    second={(r) => <ReportFile report={r} />}
    words={{
      create: 'Generate',
      createLabel: 'Generate',
      newTitle: 'Generate report',
      created: 'The report is being created. It appears here when it is ready.',
      notSaved: 'The report could not be requested. Please try again.',
      deleteQuestion: 'Its file is deleted for everybody. Are you sure?',
      emptyText: 'Long reports are created in the background and kept for a week.',
    }}
  />
);

/** The link to the file, or its progress. */
function ReportFile({ report: { id, fileName, sizeBytes, state } }: { report: GeneratedReport }) {
  const download = useRun({
    run: async () => saveFile(await (await rawFetch(`${PATH}/${id}`)).blob(), madeName(fileName.replace(/\.csv$/, ''), 'csv')),
    failed: 'The file could not be downloaded. Please try again.',
  });
  if (state !== 'Ready') return <Status state={state}>{state === 'Processing' ? 'In progress' : undefined}</Status>;
  return (
    <UnstyledButton className="cp-link" title={formatSize(sizeBytes)} disabled={download.isPending} onClick={() => download.mutate()}>
      {fileName}
    </UnstyledButton>
  );
}
