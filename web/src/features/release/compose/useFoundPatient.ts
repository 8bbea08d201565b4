import { useEffect, useRef, useState } from 'react';
import type { Attachment } from '@/api/types';
import { isOtherPerson, lockedPatient, overwritePatient, patientDifferences, stated } from '@/domain/messaging/rules';
import { patientOfAttachment } from '../api';
import { isPatientEmpty, type PatientValues, patientValues } from './model';

/** A patient from a chart has its details from there: only another person is a question. */
const differences = (current: PatientValues, found: PatientValues) =>
  lockedPatient(current) && !isOtherPerson(current, found) ? [] : patientDifferences(current, found);

type Found = { attachmentId: string; fileName: string; patient: PatientValues };

/**
 * The patients named in attached documents, one after the other. They fill empty fields if nothing differs; otherwise nothing is
 * filled before a question, so that the details of two patients are never mixed.
 */
export function useFoundPatient(patient: PatientValues, change: (patient: PatientValues) => void) {
  // Includes details applied since the last render.
  const latest = useRef(patient);
  useEffect(() => {
    latest.current = patient;
  });
  /** Documents not applied yet. */
  const found = useRef<Found[]>([]);
  const [asked, setAsked] = useState<Found>();
  /** The document whose details were applied last. */
  const [source, setSource] = useState<string>();

  const take = ({ fileName }: Found, next: PatientValues) => {
    latest.current = next;
    change(next);
    setSource(fileName);
  };
  const goOn = () => {
    let next = found.current[0];
    while (next && differences(latest.current, next.patient).length === 0) {
      if (!lockedPatient(latest.current)) take(next, patientValues({ ...stated(next.patient), ...stated(latest.current) }));
      found.current.shift();
      next = found.current[0];
    }
    setAsked(next);
  };
  const read = async (a: Attachment) => {
    const inFile = await patientOfAttachment(a.messageId, a.id).catch(() => null);
    if (!inFile?.lastName && !inFile?.firstName) return;
    // Details read from the text of other files are a guess: they fill an empty form without a question.
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
  return { asked, source, differences: asked ? differences(patient, asked.patient) : [], read, keep, overwrite };
}
