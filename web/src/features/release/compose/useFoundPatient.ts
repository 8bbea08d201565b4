import { useEffect, useRef, useState } from 'react';
import type { Attachment } from '@/api/types';
import { overwritePatient, patientDifferences, stated } from '@/domain/messaging/rules';
import { patientOfAttachment } from '../api';
import { isPatientEmpty, type PatientValues, patientValues } from './model';

type Found = { attachmentId: string; fileName: string; patient: PatientValues };

/**
 * What attached documents say about their patients, one after the other. It goes into the empty fields of a form that
 * says nothing else; where one differs nothing of it does until somebody was asked, so that the details of two patients are
 * never mixed.
 */
export function useFoundPatient(patient: PatientValues, change: (patient: PatientValues) => void) {
  // With what was taken since the last turn.
  const latest = useRef(patient);
  useEffect(() => {
    latest.current = patient;
  });
  /** Those that are not taken yet. */
  const found = useRef<Found[]>([]);
  const [asked, setAsked] = useState<Found>();
  /** The document whose details were taken last. */
  const [source, setSource] = useState<string>();

  const take = ({ fileName }: Found, next: PatientValues) => {
    latest.current = next;
    change(next);
    setSource(fileName);
  };
  const goOn = () => {
    let next = found.current[0];
    while (next && patientDifferences(latest.current, next.patient).length === 0) {
      take(next, patientValues({ ...stated(next.patient), ...stated(latest.current) }));
      found.current.shift();
      next = found.current[0];
    }
    setAsked(next);
  };
  const read = async (a: Attachment) => {
    const inFile = await patientOfAttachment(a.messageId, a.id).catch(() => null);
    if (!inFile?.lastName && !inFile?.firstName) return;
    // What the text of another file shows is a guess: it fills an empty form, and asks nobody.
    if (!a.isStructured && !isPatientEmpty(latest.current)) return;
    found.current.push({ attachmentId: a.id, fileName: a.fileName, patient: patientValues(inFile) });
    if (found.current.length === 1) goOn();
  };
  const keep = () => {
    found.current.shift();
    goOn();
  };
  const overwrite = () => {
    if (!asked) return;
    take(asked, patientValues(overwritePatient(latest.current, asked.patient)));
    keep();
  };
  const differences = asked ? patientDifferences(patient, asked.patient) : [];
  return { asked, source, differences, read, keep, overwrite };
}
