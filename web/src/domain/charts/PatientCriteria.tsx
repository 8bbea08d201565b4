import { Checkbox, TextInput, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import type { ChartConnection } from '@/api/types';
import { GENDERS } from '@/domain/messaging/rules';
import { DateInput } from '@/shared/form/DateInput';
import { Select } from '@/shared/form/Select';
import { ChoicesFailed } from '@/shared/ui/blocks';
import { facilitiesQuery } from './api';
import type { CriteriaErrors } from './search';
import type { PatientLookup } from './usePatientLookup';

type Text = 'name' | 'lastName' | 'firstName' | 'patientId' | 'mrn';
type Props = {
  connection: ChartConnection;
  lookup: PatientLookup;
  /** What the EHR needs for a new patient. */
  refused: CriteriaErrors;
};

/** The fields of a patient search, in one of two variants. */
export function PatientCriteria({ connection, lookup, refused }: Props) {
  const { variant, criteria, set } = lookup;
  const errors = { ...lookup.errors, ...refused };
  const text = (field: Text, label: string, placeholder?: string) => (
    <TextInput
      size="md"
      label={label}
      placeholder={placeholder}
      autoComplete="off"
      maxLength={255}
      data-autofocus={field === 'name' || field === 'lastName' || undefined}
      value={criteria[field]}
      error={errors[field]}
      // It is filled from the message: typing replaces that.
      onFocus={(e) => e.currentTarget.select()}
      onChange={(e) => set({ [field]: e.currentTarget.value })}
    />
  );
  const birthDate = (
    <DateInput
      size="md"
      label="Birth date"
      keepInvalid
      value={criteria.birthDate}
      error={errors.birthDate}
      onChange={(date) => set({ birthDate: date })}
    />
  );
  return (
    <>
      <div className="chart-criteria" data-variant={variant}>
        {variant === 'name' ? (
          <>
            {text('name', 'Name', 'Last, First')}
            {birthDate}
            {connection.requiresFacility && <FacilityField connection={connection} lookup={lookup} />}
          </>
        ) : (
          <>
            {text('lastName', 'Last name')}
            {text('firstName', 'First name')}
            {birthDate}
            {text('mrn', 'MRN', 'Any number')}
            {text('patientId', 'Patient ID')}
            <FacilityField connection={connection} lookup={lookup} />
            <Select
              size="md"
              label="Gender"
              placeholder="Any"
              clearable
              data={GENDERS}
              value={criteria.gender || null}
              error={errors.gender}
              onChange={(gender) => set({ gender: gender ?? '' })}
            />
          </>
        )}
      </div>
      <div className="cp-row chart-more">
        <UnstyledButton className="cp-link cp-row" onClick={() => lookup.switchTo(variant === 'name' ? 'details' : 'name')}>
          {variant === 'name' ? <IconChevronDown size={15} stroke={2} aria-hidden /> : <IconChevronUp size={15} stroke={2} aria-hidden />}
          {variant === 'name' ? 'Detailed search' : 'Search by name and birth date'}
        </UnstyledButton>
        {variant === 'details' && (
          <Checkbox
            label="Show inactive"
            checked={criteria.showInactive}
            onChange={(e) => set({ showInactive: e.currentTarget.checked })}
          />
        )}
      </div>
    </>
  );
}

/** The facility, by its id if the EHR gives no list of them. */
function FacilityField({ connection, lookup: { criteria, set } }: Pick<Props, 'connection' | 'lookup'>) {
  const hasList = connection.capabilities.includes('facilityLookup');
  const facilities = useQuery({ ...facilitiesQuery(connection.integrationId), enabled: hasList });
  const required = connection.requiresFacility;
  if (hasList)
    return (
      <div>
        <Select
          size="md"
          label="Facility"
          placeholder="Any"
          required={required}
          searchable
          clearable={!required}
          data={facilities.data?.map(({ id, name }) => ({ value: id, label: name })) ?? []}
          value={criteria.facility || null}
          onChange={(facility) => set({ facility: facility ?? '' })}
        />
        <ChoicesFailed of={[facilities]} />
      </div>
    );
  return (
    <TextInput
      size="md"
      label="Facility ID"
      required={required}
      autoComplete="off"
      maxLength={255}
      value={criteria.facility}
      onChange={(e) => set({ facility: e.currentTarget.value })}
    />
  );
}
