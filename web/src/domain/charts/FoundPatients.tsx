import { IconUserOff } from '@tabler/icons-react';
import type { ReactNode, Ref } from 'react';
import type { ChartPatient, Patient } from '@/api/types';
import { addressOf, nameOf } from '@/domain/messaging/patients/words';
import { isOther } from '@/domain/messaging/rules';
import { showDate } from '@/shared/rules/dates';
import { Chip } from '@/shared/ui/status';
import { type PickColumn, PickTable } from './PickTable';

/** A value, marked if it differs from that of the patient at hand. */
const Value = ({ differs, children }: { differs: boolean; children: ReactNode }) =>
  differs ? (
    <span className="chart-differs">
      {children}
      <span className="cp-hidden"> (differs)</span>
    </span>
  ) : (
    children
  );

const ADDRESS = ['streetAddress1', 'streetAddress2', 'city', 'state', 'postalCode'] as const;
const given = ({ firstName, middleName }: ChartPatient) => [firstName, middleName].filter(Boolean).join(' ');

function columnsFor(current: Patient): PickColumn<ChartPatient>[] {
  const differs = (p: ChartPatient, ...fields: readonly Parameters<typeof isOther>[2][]) => fields.some((f) => isOther(current, p, f));
  const record = current.integrationMeta?.medicalRecordNumber;
  return [
    {
      key: 'name',
      title: 'Patient',
      primary: true,
      render: (p) => (
        <>
          <Value differs={differs(p, 'lastName')}>{p.lastName}</Value>
          {given(p) && <>, </>}
          <Value differs={differs(p, 'firstName', 'middleName')}>{given(p)}</Value>
          {!p.isActive && (
            <Chip tone="neutral" icon={IconUserOff}>
              Inactive
            </Chip>
          )}
          {p.isDeceased && (
            <Chip tone="warn" icon={IconUserOff}>
              Deceased
            </Chip>
          )}
        </>
      ),
    },
    { key: 'former', title: 'Former names', width: 116, render: (p) => p.formerNames.join(', ') },
    {
      key: 'birthDate',
      title: 'Birth date',
      width: 98,
      render: (p) => <Value differs={differs(p, 'birthDate')}>{showDate(p.birthDate)}</Value>,
    },
    { key: 'gender', title: 'Gender', width: 64, render: (p) => <Value differs={differs(p, 'gender')}>{p.gender}</Value> },
    {
      key: 'mrn',
      title: 'MRN',
      width: 108,
      // The patient ID of a document may be another practice's.
      render: (p) => <Value differs={Boolean(record) && record !== p.medicalRecordNumber}>{p.medicalRecordNumber}</Value>,
    },
    { key: 'address', title: 'Address', render: (p) => <Value differs={differs(p, ...ADDRESS)}>{addressOf(p)}</Value> },
    { key: 'admitted', title: 'Admitted', width: 98, render: (p) => showDate(p.admitDate) },
    { key: 'discharged', title: 'Discharged', width: 98, render: (p) => showDate(p.dischargeDate) },
  ];
}

type Props = {
  rows: ChartPatient[];
  current: Patient;
  chosen: string | null;
  onChoose: (patient: ChartPatient) => void;
  onPick: (patient: ChartPatient) => void;
  isStale: boolean;
  ref: Ref<HTMLTableElement>;
};

/** The found patients, to choose one. */
export const FoundPatients = ({ current, chosen, isStale, ...props }: Props) => (
  <PickTable
    {...props}
    label="Patients"
    columns={columnsFor(current)}
    rowId={(p) => p.id}
    rowName={nameOf}
    chosen={chosen ? [chosen] : []}
    isOff={() => isStale}
    isStale={isStale}
  />
);
