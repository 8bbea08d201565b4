import { ActionIcon } from '@mantine/core';
import { IconCalendarSearch, IconUserSearch, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { ChartButton } from '@/domain/charts/ChartButton';
import { PatientLookupDialog } from '@/domain/charts/PatientLookupDialog';
import { useChart } from '@/domain/charts/useChart';
import { VisitLookupDialog } from '@/domain/charts/VisitLookupDialog';
import { acceptable, lockedPatient, withoutVisit, withVisit } from '@/domain/messaging/rules';
import { now } from '@/shared/clock';
import { showDate } from '@/shared/rules/dates';
import { type PatientValues, patientValues } from './model';

type Props = { value: PatientValues; onChange: (value: PatientValues) => void };

/** Finds the patient in the chart, and says whose chart the patient is from: then the fields are read-only. */
export function ChartPatient({ value, onChange }: Props) {
  const [finding, find] = useState(false);
  const connection = useChart().connection('patientLookup', value.integrationMeta?.integrationId);
  if (lockedPatient(value)) {
    const record = value.integrationMeta?.medicalRecordNumber;
    return (
      <p className="cp-second rel-chart">
        {[`From ${connection?.name ?? 'the chart'}`, record && `MRN ${record}`].filter(Boolean).join(' · ')}
      </p>
    );
  }
  if (!connection) return null;
  return (
    <div className="rel-chart">
      <ChartButton connection={connection} icon={IconUserSearch} onClick={() => find(true)}>
        Find in chart
      </ChartButton>
      {finding && (
        <PatientLookupDialog
          connection={connection}
          current={value}
          onFound={(patient) => onChange(patientValues(acceptable(patient, { today: now() })))}
          onClose={() => find(false)}
        />
      )}
    </div>
  );
}

/** The visit of a patient from a chart. */
export function ChartVisit({ value, onChange }: Props) {
  const [finding, find] = useState(false);
  const chart = useChart();
  const meta = value.integrationMeta;
  const connection = meta?.patientId ? chart.connection('visitLookup', meta.integrationId) : undefined;
  if (!connection || !meta?.patientId) return null;
  const hasVisit = Boolean(meta.visitId || value.visitId || value.visitDate);
  return (
    <div className="cp-row rel-chart">
      <span className="cp-grow">{hasVisit ? ['Visit', showDate(value.visitDate)].filter(Boolean).join(' ') : 'No visit'}</span>
      <ChartButton connection={connection} icon={IconCalendarSearch} onClick={() => find(true)}>
        Find visit
      </ChartButton>
      {hasVisit && (
        <ActionIcon size={28} aria-label="Clear visit" onClick={() => onChange(withoutVisit(value))}>
          <IconX size={16} stroke={1.6} />
        </ActionIcon>
      )}
      {finding && (
        <VisitLookupDialog
          connection={connection}
          patientId={meta.patientId}
          selected={meta.visitId}
          onSelect={(visit) => onChange(withVisit(value, visit))}
          onClose={() => find(false)}
        />
      )}
    </div>
  );
}
