import { ActionIcon, TextInput, type TextInputProps, Tooltip } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import type { Patient } from '@/api/types';
import { DateInput } from '@/shared/form/DateInput';
import { ListSelect, ZipInput } from '@/shared/form/inputs';
import { Select } from '@/shared/form/Select';
import { InlineBox } from '@/shared/ui/blocks';
import { usStates } from '@/shared/rules/states';
import { PatientPhone } from './PatientPhone';
import { type ExtractedField, GENDERS, PATIENT_LABELS, type PatientErrors, type PatientField } from './rules';

type Props = {
  value: Patient;
  onChange: (change: Partial<Patient>) => void;
  /** A field was left, or a choice was made: time to save. */
  onDone?: () => void;
  errors: PatientErrors;
  /** All but the visit. */
  disabled?: boolean;
  visitDisabled?: boolean;
  required?: boolean;
  /** Read from the document and not yet confirmed. */
  unverified?: ReadonlySet<ExtractedField>;
  onConfirm?: (field: ExtractedField) => void;
  size?: 'sm' | 'md';
};

const BOXED = ['streetAddress1', 'streetAddress2', 'city', 'state', 'postalCode', 'visitId'] as const;

/** The fields of the patient of a received message. Changing an unverified value confirms it. */
export function PatientFields({
  value,
  onChange,
  onDone,
  errors,
  disabled,
  visitDisabled,
  required,
  unverified,
  onConfirm,
  size = 'sm',
}: Props) {
  const mark = (field: ExtractedField) =>
    unverified?.has(field)
      ? {
          className: 'cp-unv',
          rightSectionWidth: 28,
          rightSection: (
            <Tooltip label="Confirm">
              <ActionIcon
                size={24}
                aria-label={`Confirm ${PATIENT_LABELS[field].toLowerCase()}, read from the document`}
                onClick={() => onConfirm?.(field)}
              >
                <IconCheck size={15} stroke={2} />
              </ActionIcon>
            </Tooltip>
          ),
        }
      : {};
  const text = (field: PatientField, more: TextInputProps = {}) => (
    <TextInput
      size={size}
      label={PATIENT_LABELS[field]}
      disabled={disabled}
      autoComplete="off"
      data-field={field}
      value={value[field] ?? ''}
      error={errors[field]}
      onChange={(e) => onChange({ [field]: e.currentTarget.value })}
      onBlur={onDone}
      {...more}
    />
  );
  const choose = (change: Partial<Patient>) => {
    onChange(change);
    onDone?.();
  };
  return (
    <div className={size === 'sm' ? 'cp-grid2 cp-dense' : 'cp-grid2 m-form'}>
      {text('firstName', { required, ...mark('firstName') })}
      {text('lastName', { required, ...mark('lastName') })}
      <DateInput
        size={size}
        label={PATIENT_LABELS.birthDate}
        disabled={disabled}
        data-field="birthDate"
        keepInvalid
        value={value.birthDate}
        error={errors.birthDate}
        onChange={(birthDate) => choose({ birthDate })}
        mark={mark('birthDate').rightSection}
        className={mark('birthDate').className}
      />
      <Select
        size={size}
        label={PATIENT_LABELS.gender}
        data-field="gender"
        disabled={disabled}
        clearable={!unverified?.has('gender')}
        data={GENDERS}
        value={value.gender ?? null}
        error={errors.gender}
        onChange={(gender) => choose({ gender })}
        rightSectionPointerEvents="auto"
        {...mark('gender')}
      />
      {text('middleName', mark('middleName'))}
      {text('patientId')}
      <PatientPhone
        size={size}
        disabled={disabled}
        value={value.telephone}
        error={errors.telephone}
        onChange={(telephone) => onChange({ telephone })}
        onDone={onDone}
      />
      <DateInput
        size={size}
        label={PATIENT_LABELS.visitDate}
        disabled={visitDisabled}
        allowFuture
        data-field="visitDate"
        keepInvalid
        value={value.visitDate}
        error={errors.visitDate}
        onChange={(visitDate) => choose({ visitDate })}
      />
      <div className="cp-whole">
        <InlineBox title="Address and visit" isWrong={BOXED.some((field) => errors[field])}>
          <div className={size === 'sm' ? 'cp-grid2 cp-dense cp-inner' : 'cp-grid2 m-form cp-inner'}>
            {text('streetAddress1')}
            {text('streetAddress2')}
            {text('city')}
            <ListSelect
              size={size}
              label={PATIENT_LABELS.state}
              disabled={disabled}
              data={usStates}
              value={value.state ?? null}
              error={errors.state}
              onChange={(state) => choose({ state })}
            />
            <ZipInput
              size={size}
              label={PATIENT_LABELS.postalCode}
              disabled={disabled}
              value={value.postalCode ?? ''}
              error={errors.postalCode}
              onChange={(postalCode) => onChange({ postalCode })}
              onBlur={onDone}
            />
            {text('visitId', { disabled: visitDisabled })}
          </div>
        </InlineBox>
      </div>
    </div>
  );
}
