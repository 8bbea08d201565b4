import './patients.css';
import { ActionIcon, Combobox, Highlight, TextInput, Tooltip, useCombobox } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { IconListSearch, IconUserSearch } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import type { Patient } from '@/api/types';
import { now } from '@/shared/clock';
import { useDebounced } from '@/shared/debounce';
import { plural } from '@/shared/format';
import { showDate } from '@/shared/rules/dates';
import { knownPatientsQuery, LETTERS, patientKey, patientName } from './api';
import { PatientSearchDialog } from './PatientSearchDialog';
import { typedPatient } from './typed';

const DELAY_MS = 300;
const TYPED = 'typed';

type Props = {
  /** The current values of the form, for the search by several criteria. */
  current: Patient;
  /** A patient was chosen, or typed in one line. */
  onFound: (patient: Patient) => void;
  disabled?: boolean;
  /** Only known patients can be chosen; none is added. */
  knownOnly?: boolean;
};

/**
 * Finds a patient by name, birth date, record number or telephone, or takes a patient typed in one line; either fills the form.
 */
export function FindPatient({ current, onFound, disabled, knownOnly }: Props) {
  const [text, setText] = useState('');
  const [searching, search] = useState(false);
  const words = useDebounced(text.trim(), DELAY_MS);
  const typed = knownOnly ? null : typedPatient(text, now());
  // Matching letters of names are highlighted in the results; numbers and dates are not.
  const name = words.replace(/[,\d/]+/g, ' ').trim();
  const isAsked = words.length >= LETTERS;
  const query = useQuery({
    ...knownPatientsQuery({ text: words }),
    enabled: isAsked,
    placeholderData: keepPreviousData,
  });
  const combobox = useCombobox();
  /** While the results do not match the typed text, nobody can be chosen: it could be the wrong patient. */
  const isSettled = words === text.trim() && !query.isFetching;
  const found = isAsked ? (query.data ?? []) : [];
  const ids = isSettled ? `${found.map(patientKey).join()}${typed ? TYPED : ''}` : '';
  useEffect(() => {
    combobox.selectFirstOption();
    // oxlint-disable-next-line react/exhaustive-deps -- The store is new with each render; only another list starts over.
  }, [ids]);
  const choose = (id: string) => {
    const chosen = id === TYPED ? typed : found.find((f) => patientKey(f) === id)?.patient;
    if (!chosen) return;
    onFound(chosen);
    setText('');
    combobox.closeDropdown();
  };
  return (
    <Combobox store={combobox} onOptionSubmit={choose} withinPortal>
      <Combobox.Target>
        <TextInput
          className="pat-find"
          aria-label="Find a known patient"
          placeholder="Name, birth date, MRN or telephone"
          autoComplete="off"
          data-field="findPatient"
          maxLength={255}
          disabled={disabled}
          leftSection={<IconUserSearch size={15} stroke={1.6} aria-hidden />}
          rightSection={
            !knownOnly && (
              <Tooltip label="Search by more details">
                <ActionIcon size={24} aria-label="Patient search" disabled={disabled} onClick={() => search(true)}>
                  <IconListSearch size={15} stroke={1.6} />
                </ActionIcon>
              </Tooltip>
            )
          }
          value={text}
          onChange={(e) => {
            setText(e.currentTarget.value);
            combobox.openDropdown();
          }}
          onBlur={() => combobox.closeDropdown()}
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={text.trim().length < LETTERS}>
        <Combobox.Options aria-label="Known patients">
          {found.map((f) => (
            <Combobox.Option key={patientKey(f)} value={patientKey(f)} disabled={!isSettled}>
              <Highlight component="span" className="cp-block" highlight={name.split(/\s+/)}>
                {patientName(f)}
              </Highlight>
              <span className="cp-muted cp-num cp-block pat-sub">
                {[showDate(f.patient.birthDate), f.patient.gender, f.patient.patientId, plural(f.messageCount, 'message')]
                  .filter(Boolean)
                  .join(' · ')}
              </span>
            </Combobox.Option>
          ))}
          {typed && (
            <Combobox.Option value={TYPED} disabled={!isSettled}>
              <span className="cp-block">Add {patientName({ patient: typed })}</span>
              <span className="cp-muted cp-num cp-block pat-sub">
                {[showDate(typed.birthDate), typed.gender, 'as typed'].filter(Boolean).join(' · ')}
              </span>
            </Combobox.Option>
          )}
        </Combobox.Options>
        {found.length === 0 && !typed && (
          <Combobox.Empty role="status">
            {query.isError
              ? 'Patients could not be looked up.'
              : !isSettled
                ? 'Searching…'
                : `No patients match the given criteria.${knownOnly ? '' : ' Enter the details below.'}`}
          </Combobox.Empty>
        )}
      </Combobox.Dropdown>
      {searching && (
        <PatientSearchDialog
          start={current}
          onClose={() => search(false)}
          onFound={(patient) => {
            search(false);
            onFound(patient);
          }}
        />
      )}
    </Combobox>
  );
}
