import { ActionIcon, TextInput } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { FindPatient } from '@/domain/messaging/patients/FindPatient';
import { PatientPhone } from '@/domain/messaging/PatientPhone';
import { GENDERS, PATIENT_LABELS, type PatientField, retyped } from '@/domain/messaging/rules';
import { DateInput } from '@/shared/form/DateInput';
import { ListSelect } from '@/shared/form/inputs';
import { Select } from '@/shared/form/Select';
import { notify } from '@/shared/notify';
import { usStates } from '@/shared/rules/states';
import { InlineBox } from '@/shared/ui/blocks';
import { emptyPatient, isPatientEmpty, PATIENT_MORE_FIELDS, patientValues, type PatientValues } from './model';
import { REQUIRED_PATIENT_FIELDS } from './rules';

type Props = {
  value: PatientValues;
  onChange: (value: PatientValues) => void;
  errors: Partial<Record<PatientField, string | true>>;
  required: boolean;
  /** When the panel comes back with values in its further fields, they are in view. */
  showMore: boolean;
};

/** The patient of the release. */
export function PatientPanel({ value, onChange, errors, required, showMore }: Props) {
  const set = (field: PatientField) => (text: string | null) => onChange(retyped(value, { [field]: text ?? '' }));
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
      <FindPatient current={value} onFound={(patient) => onChange(patientValues(patient))} />
      <div className="cp-grid2">
        {text('firstName')}
        {text('lastName')}
        <DateInput {...common('birthDate')} keepInvalid value={value.birthDate} onChange={set('birthDate')} />
        <Select {...common('gender')} data={GENDERS} allowDeselect={!required} value={value.gender || null} onChange={set('gender')} />
        {text('patientId')}
        <PatientPhone id="release-telephone" value={value.telephone} error={errors.telephone} onChange={set('telephone')} />
      </div>
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
