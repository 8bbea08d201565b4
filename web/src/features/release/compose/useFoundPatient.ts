import { useState } from 'react';
import type { Attachment } from '@/api/types';
import { patientDifferences } from '@/features/messaging/rules';
import { patientOfAttachment } from '../api';
import { PATIENT_FIELDS, type PatientField, type PatientValues, patientValues } from './model';

type Change = (change: (patient: PatientValues) => PatientValues) => void;

/** Takes what an attached clinical document says about its patient: into empty fields at once, over filled ones only when told. */
export function useFoundPatient(patient: PatientValues, change: Change) {
  const [found, setFound] = useState<{ fileName: string; patient: PatientValues } | null>(null);

  const read = async (a: Attachment) => {
    if (!a.isStructured) return;
    const inFile = await patientOfAttachment(a.messageId, a.id).catch(() => null);
    if (!inFile?.lastName && !inFile?.firstName) return;
    const values = patientValues(inFile);
    setFound({ fileName: a.fileName, patient: values });
    change((p) => ({ ...p, ...Object.fromEntries(PATIENT_FIELDS.filter((f) => !p[f]).map((f) => [f, values[f]])) }));
  };
  const differences = found ? (patientDifferences(patient, found.patient) as { field: PatientField; from: string; to: string }[]) : [];
  const keep = () => setFound(null);
  const overwrite = () => {
    change((p) => ({ ...p, ...Object.fromEntries(differences.map((d) => [d.field, d.to])) }));
    keep();
  };
  return { fileName: found?.fileName, differences, read, keep, overwrite };
}
