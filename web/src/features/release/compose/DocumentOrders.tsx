import { IconListCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { ChartButton } from '@/domain/charts/ChartButton';
import { OrderLookupDialog } from '@/domain/charts/OrderLookupDialog';
import { useChart } from '@/domain/charts/useChart';
import { plural } from '@/shared/format';
import type { PatientValues } from './model';

type Props = { patient: PatientValues; value: string[]; onChange: (orderIds: string[]) => void };

/** The orders that a document belongs to, for a patient from a chart. */
export function DocumentOrders({ patient: { integrationMeta: meta }, value, onChange }: Props) {
  const [finding, find] = useState(false);
  const chart = useChart();
  const connection = meta?.patientId ? chart.connection('orderLookup', meta.integrationId) : undefined;
  if (!connection || !meta?.patientId) return null;
  return (
    <div className="cp-row rel-chart">
      <span className="cp-grow">{value.length > 0 ? plural(value.length, 'order') : 'No orders'}</span>
      <ChartButton connection={connection} icon={IconListCheck} onClick={() => find(true)}>
        Find orders
      </ChartButton>
      {finding && (
        <OrderLookupDialog
          connection={connection}
          patientId={meta.patientId}
          visitId={meta.visitId}
          selected={value}
          onSelect={onChange}
          onRemove={() => onChange([])}
          onClose={() => find(false)}
        />
      )}
    </div>
  );
}
