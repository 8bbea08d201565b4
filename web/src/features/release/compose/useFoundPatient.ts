import { useEffect, useRef, useState } from 'react';
import type { Attachment } from '@/api/types';
import { overwritePatient, patientDifferences, stated } from '@/features/messaging/rules';
import { patientOfAttachment } from '../api';
import { type PatientValues, patientValues } from './model';

type Change = (change: (patient: PatientValues) => PatientValues) => void;
type Found = { fileName: string; patient: PatientValues };

/**
 * What an attached clinical document says about its patient. It goes into the empty fields of a form that says nothing else;
 * where one differs nothing of it does until somebody was asked, so that the details of two patients are never mixed.
 */
export function useFoundPatient(patient: PatientValues, change: Change) {
  const latest = useRef(patient);
  useEffect(() => {
    latest.current = patient;
  });
  const [asked, setAsked] = useState<Found | null>(null);
  /** The document whose details were taken last. */
  const [source, setSource] = useState<string>();

  const read = async (a: Attachment) => {
    if (!a.isStructured) return;
    const inFile = await patientOfAttachment(a.messageId, a.id).catch(() => null);
    if (!inFile?.lastName && !inFile?.firstName) return;
    const found = { fileName: a.fileName, patient: patientValues(inFile) };
    if (patientDifferences(latest.current, found.patient).length > 0) {
      setAsked(found);
      return;
    }
    change((p) => patientValues({ ...stated(found.patient), ...stated(p) }));
    setSource(found.fileName);
  };
  const differences = asked ? patientDifferences(patient, asked.patient) : [];
  const keep = () => setAsked(null);
  const overwrite = () => {
    if (!asked) return;
    change((p) => patientValues(overwritePatient(p, asked.patient)));
    setSource(asked.fileName);
    keep();
  };
  return { fileName: asked?.fileName, source, differences, read, keep, overwrite };
}
