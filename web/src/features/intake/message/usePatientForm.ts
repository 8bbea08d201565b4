import { useEffect, useRef, useState } from 'react';
import { ApiError, api, quiet, unwrap } from '@/api/client';
import type { Message, Patient } from '@/api/types';
import { fetchMessage, useMessageChanged } from '@/domain/messaging/api';
import { beginEdit, differs, type Edited, type Same, sameText, savable, settle, takeIn, takeSaved } from '@/domain/messaging/merge';
import {
  type Export,
  type ExtractedField,
  completed,
  fillEmpty,
  isOfPrescriptions,
  missingPatient,
  overwritePatient,
  PATIENT_FIELDS,
  type PatientErrors,
  type PatientField,
  patientErrors,
  retyped,
  stated,
} from '@/domain/messaging/rules';
import { useAutosave } from '@/domain/messaging/useAutosave';
import { now } from '@/shared/clock';

type State = Edited<Patient> & {
  /** Values read from the document and not confirmed; not saved. */
  unverified: ReadonlySet<ExtractedField>;
};

/** The server stores telephone numbers as ten digits. */
const phone = (value: unknown) => (typeof value === 'string' && value.replace(/\D/g, '').replace(/^1(?=\d{10}$)/, '')) || value;
const same: Same = (field, a, b) => (field === 'telephone' ? sameText(field, phone(a), phone(b)) : sameText(field, a, b));

const without = (set: ReadonlySet<ExtractedField>, fields: readonly string[]) => new Set([...set].filter((f) => !fields.includes(f)));
const pick = (patient: Patient, fields: Iterable<ExtractedField>) => Object.fromEntries([...fields].map((f) => [f, patient[f] ?? null]));

/** Typed values, and confirmed read values. */
const confirmed = (state: State): Patient => ({ ...savable(state), ...pick(state.base, state.unverified) });

/** Applies the server state; unconfirmed values fill empty fields. */
function update(state: State, take: (edited: Edited<Patient>) => Edited<Patient>): State {
  const edited = take({ ...state, draft: { ...state.draft, ...pick(state.base, state.unverified) } });
  const unverified = new Set([...state.unverified].filter((f) => !edited.draft[f]));
  return { ...edited, draft: { ...edited.draft, ...pick(state.draft, unverified) }, unverified };
}

/** The patient form of an intake message: typed, read from documents, confirmed, and saved automatically. */
export function usePatientForm(message: Message, settings: Export) {
  const { id, patientVersion } = message;
  const saved = message.patient ?? {};
  const [state, setState] = useState<State>(() => ({ ...beginEdit<Patient>(saved, patientVersion), unverified: new Set() }));
  // Includes changes by handlers of the same event.
  const latest = useRef(state);
  const [checked, setChecked] = useState(false);
  /** Whether a field was left with an invalid value. */
  const [held, hold] = useState(false);
  const changed = useMessageChanged();
  const set = (next: State) => {
    latest.current = next;
    setState(next);
  };
  const errorsOf = (patient: Patient) => patientErrors(patient, { today: now(), fromPrescriptionNetwork: isOfPrescriptions(message) });
  const isWrong = (patient: Patient) => Object.keys(errorsOf(patient)).length > 0;
  const isChanged = () => differs(confirmed(latest.current), latest.current.base, same);

  const autosave = useAutosave<Patient>({
    pending: () => {
      const patient = confirmed(latest.current);
      return isChanged() && !isWrong(patient) ? patient : null;
    },
    save: async (patient) => {
      const { version } = latest.current;
      try {
        const fresh = await unwrap(
          api.PUT('/api/messages/{id}/patient', { params: { path: { id } }, body: { ...stated(patient), version }, ...quiet }),
        );
        set(update(latest.current, (edited) => takeSaved(edited, patient, fresh.patient ?? {}, fresh.patientVersion, same)));
        changed(fresh);
      } catch (error) {
        if (!(error instanceof ApiError && error.isOutdated)) throw error;
        const fresh = await fetchMessage(id);
        if (fresh.patientVersion === version) throw error;
        absorb(fresh);
        changed(fresh);
      }
    },
  });
  /** Merges what somebody else saved: fields unchanged here follow. */
  const absorb = (fresh: Pick<Message, 'patient' | 'patientVersion'>) => {
    if (fresh.patientVersion <= latest.current.version) return;
    set(update(latest.current, (edited) => takeIn(edited, fresh.patient ?? {}, fresh.patientVersion, same)));
  };
  const takeFresh = useRef(absorb);
  useEffect(() => {
    takeFresh.current = absorb;
  });
  useEffect(() => takeFresh.current({ patient: message.patient, patientVersion }), [message.patient, patientVersion]);

  const change = (part: Partial<Patient>) => {
    const { draft, unverified } = latest.current;
    set({ ...latest.current, draft: retyped(draft, part), unverified: without(unverified, Object.keys(part)) });
    autosave.later();
  };
  const done = () => {
    hold(isChanged() && isWrong(confirmed(latest.current)));
    autosave.now();
  };
  const confirm = (fields: readonly ExtractedField[]) => {
    set({ ...latest.current, unverified: without(latest.current.unverified, fields) });
    autosave.now();
  };
  /** Fills empty fields from a document. Answers the filled fields. */
  const fill = (found: Patient): string[] => {
    const { patient, filled } = fillEmpty(latest.current.draft, found);
    if (filled.length) set({ ...latest.current, draft: patient, unverified: new Set([...latest.current.unverified, ...filled]) });
    return filled;
  };
  const replace = (patient: Patient) => {
    set({ ...latest.current, draft: overwritePatient(latest.current.draft, patient), unverified: new Set() });
    autosave.now();
  };
  /** Applies a known patient. Answers a function that restores the previous values. */
  const take = (known: Patient) => {
    const { draft, unverified } = latest.current;
    replace(known);
    return () => {
      set({ ...latest.current, draft, unverified });
      autosave.now();
    };
  };
  /** Sets the known patient, and completes the details that the document lacks. */
  const link = (known: Patient) => {
    set({ ...latest.current, draft: completed(latest.current.draft, known) });
    autosave.now();
  };
  const choose = (field: PatientField, whose: 'mine' | 'theirs') => {
    set({ ...latest.current, ...settle(latest.current, field, whose) });
    autosave.now();
  };

  const { draft, unverified, conflicts } = state;
  const missing = missingPatient(draft, { mode: 'intake', settings });
  const wrong = errorsOf(draft);
  const errors: PatientErrors = { ...(checked ? missing : {}), ...autosave.errors, ...wrong };
  return {
    draft,
    unverified,
    /** The values to save, without unconfirmed ones. */
    confirmed: confirmed(state),
    errors,
    missing,
    /** The reason why changes are not saved. */
    wrong,
    /** Fields that somebody else changed to a different value. */
    conflicts: PATIENT_FIELDS.filter((f) => conflicts.includes(f)).map((field) => ({
      field,
      mine: draft[field],
      theirs: state.base[field],
    })),
    choose,
    change,
    done,
    confirm,
    fill,
    replace,
    take,
    link,
    check: () => setChecked(true),
    flush: autosave.flush,
    isUnsaved: () => isChanged() || latest.current.conflicts.length > 0,
    state: held && Object.keys(wrong).length > 0 ? ('wrong' as const) : autosave.state,
  };
}
export type PatientForm = ReturnType<typeof usePatientForm>;
