import { ActionIcon, TextInput } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { FindPatient } from '@/domain/messaging/patients/FindPatient';
import { PatientPhone } from '@/domain/messaging/PatientPhone';
import { GENDERS, lockedPatient, PATIENT_LABELS, type PatientField, retyped } from '@/domain/messaging/rules';
import { DateInput } from '@/shared/form/DateInput';
import { ListSelect } from '@/shared/form/inputs';
import { Select } from '@/shared/form/Select';
import { notify } from '@/shared/notify';
import { usStates } from '@/shared/rules/states';
import { InlineBox } from '@/shared/ui/blocks';
import { ChartPatient, ChartVisit } from './ChartPatient';
import { emptyPatient, isPatientEmpty, PATIENT_MORE_FIELDS, patientValues, type PatientValues } from './model';
import { REQUIRED_PATIENT_FIELDS } from './rules';

const isVisit = (field: PatientField) => field === 'visitId' || field === 'visitDate';

type Props = {
  value: PatientValues;
  onChange: (value: PatientValues) => void;
  errors: Partial<Record<PatientField, string | true>>;
  required: boolean;
  /** When the panel comes back with values in its further fields, they are in view. */
  showMore: boolean;
};

/**
 * The fields that can be typed in. Those of a patient from a chart are read-only, except what the chart lacks or what is refused:
 * it is corrected here for this release, and the link to the chart stays.
 */
function useEditable({ value, onChange, errors, required }: Omit<Props, 'showMore'>) {
  const chartId = value.integrationMeta?.patientId;
  const isLocked = lockedPatient(value);
  /** Fields that were open for this patient stay open while they are typed in. */
  const [typed, setTyped] = useState<{ chartId?: string | null; fields: readonly PatientField[] }>({ fields: [] });
  const known = typed.chartId === chartId ? typed.fields : [];
  const isLacking = (field: PatientField) => required && REQUIRED_PATIENT_FIELDS.includes(field) && !value[field];
  const isOpen = (field: PatientField) => {
    if (isVisit(field)) return !value.integrationMeta?.visitId;
    return !isLocked || known.includes(field) || isLacking(field) || Boolean(errors[field]);
  };
  const set = (field: PatientField) => (text: string | null) => {
    const part = { [field]: text ?? '' };
    if (!isLocked || isVisit(field)) return onChange(retyped(value, part));
    setTyped({ chartId, fields: [...known, field] });
    onChange({ ...value, ...part });
  };
  return { isLocked, isOpen, set };
}

/** The patient of the release. */
export function PatientPanel({ showMore, ...props }: Props) {
  const { value, onChange, errors, required } = props;
  const { isLocked, isOpen, set } = useEditable(props);
  const clear = () => {
    onChange(emptyPatient());
    notify('info', 'The patient was cleared.', { action: { label: 'Undo', run: () => onChange(value) } });
    // The button that had the focus is gone.
    document.getElementById('release-firstName')?.focus();
  };
  const common = (field: PatientField) => ({
    id: `release-${field}`,
    label: PATIENT_LABELS[field],
    error: errors[field],
    disabled: !isOpen(field),
    required: required && REQUIRED_PATIENT_FIELDS.includes(field),
  });
  const text = (field: PatientField) => (
    <TextInput
      {...common(field)}
      autoComplete="off"
      value={value[field]}
      onChange={(e) => set(field)(e.currentTarget.value)}
      onBlur={(e) => e.currentTarget.value.trim() !== value[field] && set(field)(e.currentTarget.value.trim())}
    />
  );
  return (
    <section className="cp-sec cp-dense" aria-labelledby="release-patient">
      <div className="cp-sec-h">
        <h2 id="release-patient">Patient</h2>
        <div className="cp-grow" />
        {!isPatientEmpty(value) && (
          <ActionIcon size={28} aria-label="Clear patient" onClick={clear}>
            <IconX size={16} stroke={1.6} />
          </ActionIcon>
        )}
      </div>
      {!isLocked && <FindPatient current={value} onFound={(patient) => onChange(patientValues(patient))} />}
      <ChartPatient value={value} onChange={onChange} />
      <div className="cp-grid2">
        {text('firstName')}
        {text('lastName')}
        <DateInput {...common('birthDate')} keepInvalid value={value.birthDate} onChange={set('birthDate')} />
        <Select {...common('gender')} data={GENDERS} allowDeselect={!required} value={value.gender || null} onChange={set('gender')} />
        {text('patientId')}
        <PatientPhone
          id="release-telephone"
          value={value.telephone}
          error={errors.telephone}
          disabled={!isOpen('telephone')}
          onChange={set('telephone')}
        />
      </div>
      <ChartVisit value={value} onChange={onChange} />
      <InlineBox
        title="Middle name, address and visit"
        defaultOpened={showMore}
        isWrong={PATIENT_MORE_FIELDS.some((field) => errors[field])}
      >
        <div className="cp-grid2 rel-more">
          {text('middleName')}
          {text('streetAddress1')}
          {text('streetAddress2')}
          {text('city')}
          <ListSelect {...common('state')} data={usStates} value={value.state || null} onChange={set('state')} />
          {text('postalCode')}
          <DateInput {...common('visitDate')} allowFuture keepInvalid value={value.visitDate} onChange={set('visitDate')} />
          {text('visitId')}
        </div>
      </InlineBox>
    </section>
  );
}
