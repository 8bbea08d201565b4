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
  lockedPatient,
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
import { notify } from '@/shared/notify';

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
  const unverified = new Set([...state.unverified].filter((f) => !edited.draft[f] && !lockedPatient(edited.draft)));
  return { ...edited, draft: { ...edited.draft, ...pick(state.draft, unverified) }, unverified };
}

const chartOf = ({ integrationMeta }: Patient) => integrationMeta?.patientId || null;

const VISIT = ['integrationMeta', 'visitId', 'visitDate'] as const;
const ANOTHER_PATIENT = 'Somebody else has changed the patient meanwhile.';
const ANOTHER_VISIT = 'Somebody else has chosen another visit meanwhile. Please check it.';

/** The form after the save of somebody else, and what to tell the person about it. */
type Followed = { edited: Edited<Patient>; notice?: string };

/**
 * A patient of a chart is one whole, never mixed with what somebody else chose or typed meanwhile, and so is the visit. What
 * is saved wins.
 */
function whole(before: Edited<Patient>, edited: Edited<Patient>): Followed {
  const { base, draft, conflicts } = edited;
  if (!lockedPatient(base) && !lockedPatient(draft)) {
    const notice = chartOf(before.draft) ? `${ANOTHER_PATIENT} Please check it.` : undefined;
    return { edited, notice };
  }
  if (chartOf(base) !== chartOf(draft) || chartOf(base) !== chartOf(before.base)) {
    const isNoticed = chartOf(base) !== chartOf(before.draft) || differs(before.draft, before.base, same);
    return { edited: { ...edited, draft: base, conflicts: [] }, notice: isNoticed ? `${ANOTHER_PATIENT} Please check it.` : undefined };
  }
  if (!VISIT.some((field) => conflicts.includes(field))) return { edited: { ...edited, conflicts: [] } };
  const { integrationMeta, visitId, visitDate } = base;
  return { edited: { ...edited, draft: { ...draft, integrationMeta, visitId, visitDate }, conflicts: [] }, notice: ANOTHER_VISIT };
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
    let notice: string | undefined;
    const follow = (edited: Edited<Patient>) => {
      const followed = whole(edited, takeIn(edited, fresh.patient ?? {}, fresh.patientVersion, same));
      notice = followed.notice;
      return followed.edited;
    };
    set(update(latest.current, follow));
    if (notice) notify('warning', notice);
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
  /** Sets all values at once. Answers a function that restores the previous ones, unless somebody else has chosen meanwhile. */
  const put = (next: (current: Patient) => Patient) => {
    const { draft, unverified } = latest.current;
    const chosen = next(draft);
    set({ ...latest.current, draft: chosen, unverified: new Set(), conflicts: [] });
    autosave.now();
    return () => {
      if (chartOf(latest.current.draft) !== chartOf(chosen)) throw new Error(ANOTHER_PATIENT);
      set({ ...latest.current, draft, unverified });
      autosave.now();
    };
  };
  /** Applies a known patient, or one of a chart. Details of a chart that are refused cannot be corrected, so they are left out. */
  const take = (known: Patient) =>
    put((current) => {
      const next = overwritePatient(current, known);
      const refused = lockedPatient(next) ? Object.keys(errorsOf(next)) : [];
      return { ...next, ...Object.fromEntries(refused.map((field) => [field, null])) };
    });
  const replace = (patient: Patient) => void put((current) => overwritePatient(current, patient));
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
    /** The draft of this moment, also after an answer of the server. */
    current: () => latest.current.draft,
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
    put,
    link,
    check: () => setChecked(true),
    flush: autosave.flush,
    isUnsaved: () => isChanged() || latest.current.conflicts.length > 0,
    state: held && Object.keys(wrong).length > 0 ? ('wrong' as const) : autosave.state,
  };
}
export type PatientForm = ReturnType<typeof usePatientForm>;
