import { useRef, useState } from 'react';
import { api, quiet, unwrap } from '@/api/client';
import type { Message, Patient } from '@/api/types';
import { useMessageChanged } from '@/domain/messaging/api';
import {
  EXTRACTED,
  type Export,
  type ExtractedField,
  fillEmpty,
  missingPatient,
  overwritePatient,
  type PatientErrors,
  patientErrors,
  stated,
} from '@/domain/messaging/rules';
import { useAutosave } from '@/domain/messaging/useAutosave';
import { now } from '@/shared/clock';

type State = { patient: Patient; unverified: ReadonlySet<ExtractedField> };

/** What is filled in, in one order, so that nothing is saved that only looks changed. */
const tidyPatient = (p: Patient): Patient => Object.fromEntries(Object.entries(stated(p)).sort(([a], [b]) => (a < b ? -1 : 1)));

const without = (set: ReadonlySet<ExtractedField>, fields: readonly string[]) => new Set([...set].filter((f) => !fields.includes(f)));

/** What was typed, and of what was read only what somebody confirmed. */
function confirmed({ patient, unverified }: State, saved: Patient): Patient {
  const open = EXTRACTED.filter((f) => unverified.has(f));
  return tidyPatient({ ...patient, ...Object.fromEntries(open.map((f) => [f, saved[f] ?? null])) });
}

/** The patient of an intake message: typed, read from documents, confirmed, and saved when a field is left. */
export function usePatientForm(message: Message, settings: Export) {
  const saved = message.patient ?? {};
  const [state, setState] = useState<State>({ patient: saved, unverified: new Set() });
  // What handlers of the same event have set already.
  const latest = useRef(state);
  const [checked, setChecked] = useState(false);
  /** A field was left, but what was changed cannot be saved. */
  const [held, hold] = useState(false);
  const changed = useMessageChanged();
  const autosave = useAutosave(async (patient: Patient) =>
    changed(await unwrap(api.PUT('/api/messages/{id}/patient', { params: { path: { id: message.id } }, body: patient, ...quiet }))),
  );
  const set = (next: State) => {
    latest.current = next;
    setState(next);
  };

  /** Saves what is confirmed and well formed. */
  const done = () => {
    const [next, before] = [confirmed(latest.current, saved), tidyPatient(saved)];
    const isWrong = Object.keys(patientErrors(next, { today: now() })).length > 0;
    hold(isWrong && JSON.stringify(next) !== JSON.stringify(before));
    if (!isWrong) autosave.queue(next, before);
  };
  const change = (part: Partial<Patient>) => {
    const { patient, unverified } = latest.current;
    set({ patient: { ...patient, ...part }, unverified: without(unverified, Object.keys(part)) });
  };
  const confirm = (fields: readonly ExtractedField[]) => {
    set({ ...latest.current, unverified: without(latest.current.unverified, fields) });
    done();
  };
  /** Takes over what a document says where nothing stands yet. */
  const fill = (found: Patient) => {
    const { patient, filled } = fillEmpty(latest.current.patient, found);
    if (filled.length) set({ patient, unverified: new Set([...latest.current.unverified, ...filled]) });
  };
  const replace = (patient: Patient) => {
    set({ patient: overwritePatient(latest.current.patient, patient), unverified: new Set() });
    done();
  };

  const missing = missingPatient(state.patient, { mode: 'intake', settings });
  const wrong = patientErrors(state.patient, { today: now() });
  const errors: PatientErrors = { ...(checked ? missing : {}), ...autosave.errors, ...wrong };
  return {
    draft: state.patient,
    unverified: state.unverified,
    errors,
    missing,
    /** What keeps changes from being saved. */
    wrong: held ? wrong : {},
    change,
    done,
    confirm,
    fill,
    replace,
    check: () => setChecked(true),
    flush: autosave.flush,
    state: held ? ('failed' as const) : autosave.state,
  };
}
export type PatientForm = ReturnType<typeof usePatientForm>;
