import './charts.css';
import { Button } from '@mantine/core';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { ChartConnection, ChartPatient, Patient } from '@/api/types';
import { nameOf } from '@/domain/messaging/patients/words';
import { plural } from '@/shared/format';
import { Form } from '@/shared/form/Form';
import { Notice } from '@/shared/ui/blocks';
import { Dialog } from '@/shared/ui/Dialog';
import { ChartFailure } from './ChartFailure';
import { readPatient } from './api';
import { FoundPatients } from './FoundPatients';
import { PatientCriteria } from './PatientCriteria';
import { type CriteriaErrors, newPatient, patientOf, type Variant } from './search';
import { useAddPatient } from './useAddPatient';
import { useExternalLogin } from './useExternalLogin';
import { type PatientLookup, usePatientLookup } from './usePatientLookup';

type Props = {
  connection: ChartConnection;
  /** The patient at hand: fills the fields, and differing values of others are marked. */
  current: Patient;
  variant?: Variant;
  /** Called with the patient of the chart, who has `integrationMeta`. */
  onFound: (patient: Patient) => void;
  onClose: () => void;
};

/** Finds a patient in the chart. */
export function PatientLookupDialog({ connection, current, variant = 'name', onFound, onClose }: Props) {
  const lookup = usePatientLookup(connection, current, variant);
  const { found, isSettled, query } = lookup;
  const [chosen, choose] = useState<string | null>(null);
  const take = (patient: Patient) => {
    onFound(patient);
    onClose();
  };
  const { read, reading, guard, login } = useReading(connection, take);
  const adding = useAddPatient({ connection, guard, onAdded: take });
  const [fields, list] = [useRef<HTMLDivElement>(null), useRef<HTMLTableElement>(null)];
  const selected = isSettled ? found?.items.find((p) => p.id === chosen) : undefined;
  const refused = shownRefusals(adding.refused);

  const add = () => {
    // The buttons leave the focus in its field, and a date is taken when that loses it.
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    adding.add(newPatient(lookup.written(), lookup.variant, current));
    // What the EHR may ask for is among the details.
    if (lookup.variant === 'name') lookup.switchTo('details');
  };
  const onKeyDown = (e: KeyboardEvent) => {
    const target = e.target as HTMLElement;
    const isChoosing = target.getAttribute('aria-haspopup') === 'listbox';
    if (e.key === 'ArrowDown' && fields.current?.contains(target) && !isChoosing && isSettled && found?.items[0]) {
      e.preventDefault();
      choose(found.items[0].id);
      list.current?.querySelector<HTMLElement>('tbody tr')?.focus();
    } else if (e.key === '/' && list.current?.contains(target)) {
      e.preventDefault();
      fields.current?.querySelector<HTMLElement>('input')?.focus();
    }
  };
  return (
    <Dialog
      opened
      onClose={onClose}
      title={`Find patient in ${connection.name}`}
      size={1000}
      onSubmitKey={() => selected && read(selected)}
      footer={
        <>
          <Keys />
          {connection.capabilities.includes('patientCreate') && (
            <Button size="md" variant="default" loading={adding.isAdding} onClick={add}>
              Add Patient
            </Button>
          )}
          <Button size="md" variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button size="md" disabled={!selected} loading={reading} onClick={() => selected && read(selected)}>
            {selected ? `Select ${nameOf(selected)}` : 'Select'}
          </Button>
        </>
      }
    >
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- Keys of the fields and rows within. */}
      <div className="cp-dialog-form" onKeyDown={onKeyDown}>
        <Form
          className="chart-form"
          onSubmit={(e) => {
            e.preventDefault();
            lookup.searchNow();
          }}
        >
          <div ref={fields}>
            <PatientCriteria connection={connection} lookup={lookup} refused={refused.fields} />
          </div>
          <button type="submit" className="cp-hidden" tabIndex={-1} aria-hidden />
        </Form>
        {refused.others.length > 0 && <Notice kind="error">{refused.others.join(' ')}</Notice>}
        {lookup.canAsk && query.error && (
          <ChartFailure
            connection={connection}
            title="Patients could not be looked up"
            error={query.error}
            onRetry={() => void query.refetch()}
          />
        )}
        {found && found.items.length > 0 && (
          <FoundPatients
            ref={list}
            rows={found.items}
            current={current}
            chosen={chosen}
            isStale={!isSettled}
            onChoose={(p) => choose(p.id)}
            onPick={read}
          />
        )}
        <p className="cp-second" role="status">
          {outcomeOf(lookup)}
        </p>
      </div>
      {adding.question}
      {login}
    </Dialog>
  );
}

/** Reads the details of the selected patient. What arrives after another choice or the end of the dialog is dropped. */
function useReading(connection: ChartConnection, onFound: (patient: Patient) => void) {
  const { guard, dialog } = useExternalLogin();
  const [reading, setReading] = useState(false);
  const round = useRef(0);
  useEffect(
    () => () => {
      round.current += 1;
    },
    [],
  );
  // The screen has asked for the sign-in already; only a refusal asks again.
  const guarded = (run: () => Promise<void>) => void guard({ ...connection, needsLogin: false }, run);
  const read = (chosen: ChartPatient) =>
    guarded(async () => {
      const own = ++round.current;
      setReading(true);
      try {
        const hasDetails = connection.capabilities.includes('patientDetailsLookup');
        const patient = hasDetails ? await readPatient(connection.integrationId, chosen.id) : patientOf(chosen, connection.integrationId);
        if (own === round.current) onFound(patient);
      } finally {
        setReading(false);
      }
    });
  return { read, reading, guard: guarded, login: dialog };
}

const ASKED = ['lastName', 'firstName', 'birthDate', 'gender'] as const;
/** What the EHR needs for a new patient: at the fields, or as notices if there is no field. */
function shownRefusals(refused: Record<string, string[]>) {
  const fields: CriteriaErrors = Object.fromEntries(ASKED.flatMap((f) => (refused[f] ? [[f, refused[f][0]]] : [])));
  const others = Object.entries(refused).filter(([field]) => !ASKED.some((known) => known === field));
  return { fields, others: others.flatMap(([, texts]) => texts) };
}

function outcomeOf({ lack, canAsk, isSettled, query, found }: PatientLookup) {
  if (lack) return lack;
  if (!canAsk) return '';
  if (query.isFetching) return 'Searching…';
  if (!found || !isSettled) return '';
  if (found.items.length === 0) return 'No patients match the given criteria.';
  const count = `${plural(found.items.length, 'patient')}, answered in ${found.milliseconds.toLocaleString('en-US')} ms.`;
  return found.isCut ? `${count} There are more: please narrow the search.` : count;
}

const Keys = () => (
  <div className="chart-keys cp-grow" aria-hidden>
    <span>
      <kbd className="cp-kbd">↓</kbd> into the list
    </span>
    <span>
      <kbd className="cp-kbd">Enter</kbd> selects there
    </span>
    <span>
      <kbd className="cp-kbd">/</kbd> back to the fields
    </span>
    <span>
      <kbd className="cp-kbd">Esc</kbd> closes
    </span>
  </div>
);
