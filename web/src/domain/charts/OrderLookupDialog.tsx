import './charts.css';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconClipboardOff } from '@tabler/icons-react';
import { useState } from 'react';
import type { ChartConnection, ChartOrder } from '@/api/types';
import { showDate } from '@/shared/rules/dates';
import { Dialog } from '@/shared/ui/Dialog';
import { Chip } from '@/shared/ui/status';
import { ordersQuery } from './api';
import { ChartList } from './ChartList';
import { type PickColumn, PickTable } from './PickTable';

const COLUMNS: PickColumn<ChartOrder>[] = [
  {
    key: 'description',
    title: 'Order',
    primary: true,
    render: ({ description, isRevoked }) =>
      isRevoked ? (
        <>
          <s>{description}</s>
          <Chip tone="warn" icon={IconClipboardOff}>
            Revoked
          </Chip>
        </>
      ) : (
        description
      ),
  },
  { key: 'date', title: 'Order date', width: 110, render: ({ date }) => showDate(date) },
  { key: 'status', title: 'Status', width: 120, render: ({ status }) => status },
];

type Props = {
  connection: ChartConnection;
  /** Ids of the patient and the visit in the EHR; without a visit, all orders of the patient. */
  patientId: string;
  visitId: string | null | undefined;
  /** Ids of the orders that are chosen already. */
  selected: readonly string[];
  onSelect: (ids: string[]) => void;
  onRemove: () => void;
  onClose: () => void;
};

/** The orders of a visit in the chart, to choose several. */
export function OrderLookupDialog({ connection, patientId, visitId, selected, onSelect, onRemove, onClose }: Props) {
  const query = useQuery(ordersQuery(connection.integrationId, patientId, visitId ?? null));
  const [chosen, setChosen] = useState<readonly string[]>(selected);
  // Orders of another visit are not among the choices.
  const ids = query.data?.map(({ id }) => id).filter((id) => chosen.includes(id)) ?? [];
  const toggle = (id: string) => setChosen(chosen.includes(id) ? chosen.filter((c) => c !== id) : [...chosen, id]);
  const finish = (act: () => void) => {
    act();
    onClose();
  };
  return (
    <Dialog
      opened
      onClose={onClose}
      title={`Orders in ${connection.name}`}
      onSubmitKey={() => ids.length > 0 && finish(() => onSelect(ids))}
      footer={
        <>
          <Button size="md" variant="default" disabled={selected.length === 0} onClick={() => finish(onRemove)}>
            Remove
          </Button>
          <div className="cp-grow" />
          <Button size="md" variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button size="md" disabled={ids.length === 0} onClick={() => finish(() => onSelect(ids))}>
            Select
          </Button>
        </>
      }
    >
      <ChartList
        connection={connection}
        query={query}
        failed="The orders could not be looked up"
        empty="No orders available for this visit."
      >
        {(rows) => (
          <PickTable
            multiple
            label="Orders"
            columns={COLUMNS}
            rows={rows}
            rowId={({ id }) => id}
            rowName={({ description }) => description}
            chosen={chosen}
            onChoose={({ id }) => toggle(id)}
          />
        )}
      </ChartList>
    </Dialog>
  );
}
