import './patients.css';
import { Button, Radio, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { Patient } from '@/api/types';
import { useDebounced } from '@/shared/debounce';
import { DateInput } from '@/shared/form/DateInput';
import { Form } from '@/shared/form/Form';
import { Select } from '@/shared/form/Select';
import { unseenLabel } from '@/shared/form/unseenLabel';
import { plural } from '@/shared/format';
import { showDate } from '@/shared/rules/dates';
import { ErrorState } from '@/shared/ui/blocks';
import { Dialog } from '@/shared/ui/Dialog';
import { GENDERS, PATIENT_LABELS } from '../rules';
import { knownPatientsQuery, LETTERS, patientKey, patientName } from './api';
import { addressOf } from './words';

/** Pause after which typing in several fields starts the search, in ms. */
const DELAY_MS = 750;

type Criteria = {
  firstName: string;
  lastName: string;
  birthDate: string | null;
  patientId: string;
  gender: string | null;
  facility: string;
};
type Props = {
  /** The current values of the form. */
  start: Patient;
  onClose: () => void;
  /** Called with a selected known patient, or with the one typed in the fields. */
  onFound: (patient: Patient) => void;
};

/** Search for the organization's patients by several criteria; an unknown patient can be added. */
export function PatientSearchDialog({ start, onClose, onFound }: Props) {
  const id = useId();
  const [criteria, setCriteria] = useState<Criteria>({
    firstName: start.firstName ?? '',
    lastName: start.lastName ?? '',
    birthDate: start.birthDate ?? null,
    patientId: start.patientId ?? '',
    gender: start.gender ?? null,
    facility: '',
  });
  const asked = useDebounced(criteria, DELAY_MS);
  const [chosen, choose] = useState<string | null>(null);
  const name = [asked.lastName, asked.firstName]
    .map((part) => part.trim())
    .join(' ')
    .trim();
  const canAsk = name.length >= LETTERS || Boolean(asked.birthDate || asked.patientId.trim());
  const query = useQuery({
    ...knownPatientsQuery({
      name,
      birthDate: asked.birthDate || null,
      patientId: asked.patientId.trim() || null,
      gender: asked.gender || null,
      facility: asked.facility.trim() || null,
    }),
    enabled: canAsk,
  });
  const found = canAsk ? (query.data ?? []) : [];
  const selected = found.find((f) => patientKey(f) === chosen);
  const canAdd = Boolean(criteria.firstName.trim() && criteria.lastName.trim());
  const set = (part: Partial<Criteria>) => setCriteria({ ...criteria, ...part });
  const text = (field: 'firstName' | 'lastName' | 'patientId' | 'facility', label: string) => (
    <TextInput
      size="md"
      label={label}
      autoComplete="off"
      maxLength={255}
      data-autofocus={field === 'lastName' || undefined}
      value={criteria[field]}
      onChange={(e) => set({ [field]: e.currentTarget.value })}
    />
  );
  const add = () => {
    const { birthDate, gender, ...texts } = criteria;
    const [firstName, lastName, patientId] = [texts.firstName, texts.lastName, texts.patientId].map((t) => t.trim());
    onFound({ firstName, lastName, patientId: patientId || null, birthDate: birthDate || null, gender });
  };
  return (
    <Dialog
      opened
      onClose={onClose}
      title="Patient search"
      size={640}
      footer={
        <>
          <Button size="md" variant="default" disabled={!canAdd} onClick={add}>
            Add Patient
          </Button>
          <div className="cp-grow" />
          <Button size="md" variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button size="md" type="submit" form={id} disabled={!selected}>
            Select
          </Button>
        </>
      }
    >
      <Form
        id={id}
        className="cp-dialog-form"
        onSubmit={(e) => {
          e.preventDefault();
          if (selected) onFound(selected.patient);
        }}
      >
        <div className="cp-grid2">
          {text('lastName', PATIENT_LABELS.lastName)}
          {text('firstName', PATIENT_LABELS.firstName)}
          <DateInput
            size="md"
            label={PATIENT_LABELS.birthDate}
            value={criteria.birthDate}
            onChange={(birthDate) => set({ birthDate: birthDate || null })}
          />
          <Select
            size="md"
            label={PATIENT_LABELS.gender}
            clearable
            data={GENDERS}
            value={criteria.gender}
            onChange={(gender) => set({ gender })}
          />
          {text('patientId', 'Patient ID or MRN')}
          {text('facility', 'Facility, such as a sender')}
        </div>
        {query.error ? (
          <ErrorState title="Patients could not be looked up" error={query.error} onRetry={() => void query.refetch()} />
        ) : (
          <Radio.Group {...unseenLabel('Patients')} value={chosen} onChange={choose}>
            <div className="pat-results" role="presentation">
              {found.map((f) => (
                <Radio.Card key={patientKey(f)} value={patientKey(f)} className="pat-result" onDoubleClick={() => onFound(f.patient)}>
                  <Radio.Indicator />
                  <span className="cp-grow">
                    <span className="cp-block">{patientName(f)}</span>
                    <span className="cp-muted cp-num cp-block pat-sub">
                      {[
                        showDate(f.patient.birthDate),
                        f.patient.gender,
                        f.patient.patientId,
                        addressOf(f.patient),
                        f.patient.visitDate && `visit ${showDate(f.patient.visitDate)}`,
                        plural(f.messageCount, 'message'),
                      ]
                        .filter(Boolean)
                        .join(' · ')}
                    </span>
                  </span>
                </Radio.Card>
              ))}
            </div>
          </Radio.Group>
        )}
        <p className="cp-second" role="status">
          {!canAsk && `Enter at least ${LETTERS} letters of a name, a birth date or a record number.`}
          {canAsk && query.isFetching && 'Searching…'}
          {canAsk && !query.isFetching && !query.error && found.length === 0 && 'No patients match the given criteria.'}
        </p>
      </Form>
    </Dialog>
  );
}
