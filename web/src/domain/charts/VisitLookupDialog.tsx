import './charts.css';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconCalendarOff } from '@tabler/icons-react';
import { useState } from 'react';
import type { ChartConnection, ChartVisit } from '@/api/types';
import { formatTime } from '@/shared/format';
import { showDate } from '@/shared/rules/dates';
import { Dialog } from '@/shared/ui/Dialog';
import { Chip } from '@/shared/ui/status';
import { visitsQuery } from './api';
import { ChartList } from './ChartList';
import { type PickColumn, PickTable } from './PickTable';

/** "09/22/2026 2:30 PM" */
const visitWhen = ({ date, time }: ChartVisit) => [showDate(date), time && formatTime(time)].filter(Boolean).join(' ') || 'No date';

const COLUMNS: PickColumn<ChartVisit>[] = [
  {
    key: 'date',
    title: 'Date',
    width: 200,
    primary: true,
    render: (visit) =>
      visit.isCancelled ? (
        <>
          <s>{visitWhen(visit)}</s>
          <Chip tone="warn" icon={IconCalendarOff}>
            Cancelled
          </Chip>
        </>
      ) : (
        visitWhen(visit)
      ),
  },
  { key: 'provider', title: 'Provider', width: 150, render: ({ provider }) => provider },
  { key: 'description', title: 'Visit', render: ({ description, status }) => description || status },
  { key: 'orders', title: 'Orders', render: ({ orders }) => orders.map((order) => order.description).join(', ') },
];

type Props = {
  connection: ChartConnection;
  /** Id of the patient in the EHR. */
  patientId: string;
  /** Id of the visit that is chosen already. */
  selected: string | null | undefined;
  onSelect: (visit: ChartVisit) => void;
  onClose: () => void;
};

/** The visits of a patient in the chart. A cancelled one cannot be chosen. */
export function VisitLookupDialog({ connection, patientId, selected, onSelect, onClose }: Props) {
  const query = useQuery(visitsQuery(connection.integrationId, patientId));
  const [chosen, choose] = useState(selected ?? null);
  const visit = query.data?.find(({ id, isCancelled }) => id === chosen && !isCancelled);
  const select = (of: ChartVisit) => {
    onSelect(of);
    onClose();
  };
  return (
    <Dialog
      opened
      onClose={onClose}
      title={`Visits in ${connection.name}`}
      size={760}
      onSubmitKey={() => visit && select(visit)}
      footer={
        <>
          <div className="cp-grow" />
          <Button size="md" variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button size="md" disabled={!visit} onClick={() => visit && select(visit)}>
            Select
          </Button>
        </>
      }
    >
      <ChartList connection={connection} query={query} failed="The visits could not be looked up" empty="No visits available.">
        {(rows) => (
          <PickTable
            label="Visits"
            columns={COLUMNS}
            rows={rows}
            rowId={({ id }) => id}
            rowName={visitWhen}
            chosen={chosen ? [chosen] : []}
            onChoose={({ id }) => choose(id)}
            onPick={select}
            isOff={({ isCancelled }) => isCancelled}
          />
        )}
      </ChartList>
    </Dialog>
  );
}
