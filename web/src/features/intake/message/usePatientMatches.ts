import { useQuery } from '@tanstack/react-query';
import { quiet } from '@/api/client';
import { itemsOf, queryOf } from '@/api/query';
import type { Message, Patient, PatientMatch } from '@/api/types';
import { type Export, lockedPatient, overwritePatient, PATIENT_FIELDS, patientEditable, stated } from '@/domain/messaging/rules';
import { useDebounced } from '@/shared/debounce';
import { offerUndo } from '@/shared/undo';
import type { PatientForm } from './usePatientForm';

const WAIT_MS = 400;

/** Whether it has enough details to identify a patient. */
const isSomebody = (p: Patient) => Boolean(p.lastName?.trim() && (p.firstName?.trim() || p.birthDate)) || Boolean(p.patientId?.trim());

/** Whether a known patient would not change the form. */
const isTaken = (draft: Patient, known: Patient) => {
  const after = overwritePatient(draft, known);
  return PATIENT_FIELDS.every((field) => (after[field] ?? '') === (draft[field] ?? ''));
};

/** The organization's known patients who may be the one of the form: read from the document or typed. */
export function usePatientMatches(message: Message, form: PatientForm, settings: Export) {
  const enabled = !message.isProcessed && patientEditable('intake', settings);
  const { visitDate: _date, visitId: _visit, ...person } = stated(form.draft);
  const wanted = useDebounced(JSON.stringify(person), WAIT_MS);
  const patient = JSON.parse(wanted) as Patient;
  // Without an answer there is no hint.
  const { data } = useQuery({
    ...itemsOf(queryOf('post', '/api/patients/_match', { body: patient, ...quiet })),
    enabled: enabled && isSomebody(patient),
    staleTime: 60_000,
    gcTime: 60_000,
    placeholderData: (previous) => previous,
  });
  const shown = enabled && isSomebody(patient) ? (data ?? []) : [];
  const items = lockedPatient(form.draft) ? [] : shown.filter((match) => !isTaken(form.draft, match.patient));
  const take = (match: PatientMatch) => {
    // A visit belongs to the document.
    const { visitDate: _d, visitId: _v, ...known } = match.patient;
    const undo = form.take(known);
    offerUndo('The details of the known patient were applied.', async () => undo());
  };
  const [first] = items;
  // Two certain matches are ambiguous.
  const certain = shown.filter((match) => match.certainty === 'Certain');
  const only = certain.length === 1 && certain[0]!.patient.knownPatientId !== form.draft.knownPatientId ? certain[0]!.patient : null;
  return { items, take, first: first && (() => take(first)), certain: only };
}
export type PatientMatches = ReturnType<typeof usePatientMatches>;
