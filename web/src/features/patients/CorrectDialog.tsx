import { useState } from 'react';
import type { Patient, PatientView } from '@/api/types';
import { PatientFields } from '@/domain/messaging/PatientFields';
import { PATIENT_FIELDS, patientErrors } from '@/domain/messaging/rules';
import { now } from '@/shared/clock';
import { FormDialog } from '@/shared/ui/FormDialog';
import { correct } from './api';
import type { useDecisions } from './useDecisions';

type Props = { of: PatientView; decisions: ReturnType<typeof useDecisions>; onClose: () => void };

const VISIT = ['visitDate', 'visitId'];

/** Corrects a patient. Only changed values are sent: the others keep following later messages. */
export function CorrectDialog({ of, decisions: { decide, isBusy }, onClose }: Props) {
  const [draft, setDraft] = useState<Patient>(of.patient);
  const [isAsked, setAsked] = useState(false);
  const changed = PATIENT_FIELDS.filter((f) => !VISIT.includes(f) && (draft[f] ?? '') !== (of.patient[f] ?? '') && draft[f]);
  const errors = patientErrors(draft, { today: now() });
  const save = async () => {
    // A name or an address is corrected as a whole.
    const isNamed = changed.some((f) => f === 'firstName' || f === 'lastName');
    const isMoved = changed.some((f) => ['streetAddress1', 'streetAddress2', 'city', 'state', 'postalCode'].includes(f));
    const whole = PATIENT_FIELDS.filter(
      (f) =>
        changed.includes(f) ||
        (isNamed && (f === 'firstName' || f === 'lastName')) ||
        (isMoved && ['streetAddress1', 'streetAddress2', 'city', 'state', 'postalCode'].includes(f)),
    );
    const said = Object.fromEntries(whole.map((f) => [f, draft[f] ?? null]));
    if (await decide(() => correct(of.id, of.version, said), 'The patient was corrected.')) onClose();
  };
  return (
    <FormDialog
      title="Correct the patient"
      label="Save"
      busy={isBusy}
      formErrors={isAsked && changed.length === 0 ? ['Nothing was changed. Values can be replaced, but not cleared.'] : []}
      onClose={onClose}
      onSubmit={(e) => {
        e.preventDefault();
        setAsked(true);
        if (changed.length > 0 && Object.keys(errors).length === 0) void save();
      }}
    >
      <p className="cp-second">Your entries take precedence over details from messages. Messages are not changed.</p>
      <PatientFields size="md" value={draft} errors={errors} visitDisabled onChange={(part) => setDraft({ ...draft, ...part })} />
    </FormDialog>
  );
}
