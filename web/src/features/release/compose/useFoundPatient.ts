import { useEffect, useState } from 'react';
import type { Attachment } from '@/api/types';
import { overwritePatient, patientDifferences, stated } from '@/features/messaging/rules';
import { patientOfAttachment } from '../api';
import { type PatientValues, patientValues } from './model';

type Change = (change: (patient: PatientValues) => PatientValues) => void;
type Found = { attachmentId: string; fileName: string; patient: PatientValues };

/**
 * What attached clinical documents say about their patients, one after the other. It goes into the empty fields of a form that
 * says nothing else; where one differs nothing of it does until somebody was asked, so that the details of two patients are
 * never mixed.
 */
export function useFoundPatient(patient: PatientValues, change: Change) {
  const [waiting, setWaiting] = useState<Found[]>([]);
  /** The document whose details were taken last. */
  const [source, setSource] = useState<string>();

  const read = async (a: Attachment) => {
    if (!a.isStructured) return;
    const inFile = await patientOfAttachment(a.messageId, a.id).catch(() => null);
    if (!inFile?.lastName && !inFile?.firstName) return;
    setWaiting((all) => [...all, { attachmentId: a.id, fileName: a.fileName, patient: patientValues(inFile) }]);
  };
  const found = waiting[0];
  const differences = found ? patientDifferences(patient, found.patient) : [];
  const leave = () => setWaiting((all) => all.slice(1));
  const overwrite = () => {
    if (!found) return;
    change((p) => patientValues(overwritePatient(p, found.patient)));
    setSource(found.fileName);
    leave();
  };
  // Only once the form shows what the document before it said can be told whether this one differs.
  useEffect(() => {
    if (!found || differences.length > 0) return;
    change((p) => patientValues({ ...stated(found.patient), ...stated(p) }));
    setSource(found.fileName);
    leave();
  });
  return { asked: differences.length > 0 ? found : undefined, source, differences, read, keep: leave, overwrite };
}
