import { useState } from 'react';
import type { Attachment, Patient } from '@/api/types';
import { useFeature } from '@/app/session';
import { type Export, EXTRACTED, isExtracted } from '@/domain/messaging/rules';
import { useMayOpen } from '@/domain/messaging/viewer/restricted';
import { offersOf } from './AlsoRead';
import { useExtraction } from './useExtraction';
import { useMarks } from './useMarks';
import type { PatientForm } from './usePatientForm';

export type Reading = ReturnType<typeof useReading>;

/** Reads the patient from the document in view into the empty fields, and tracks the place of each value. */
export function useReading(attachment: Attachment | undefined, patient: PatientForm, settings: Export) {
  const needsPatient = EXTRACTED.some((f) => f !== 'middleName' && !patient.draft[f]);
  const readsPages = useFeature('PatientExtractionAPI');
  const mayOpen = useMayOpen();
  const [read, noteRead] = useState<Readonly<Record<string, Patient>>>({});
  const offers = offersOf(attachment && read[attachment.id], patient.draft);
  const seen = useMarks(attachment?.id, new Set<string>([...patient.unverified, ...offers.flatMap((offer) => offer.fields)]));
  const asks = needsPatient && settings.exportMode !== 'print' && Boolean(attachment && mayOpen(attachment));
  const isReading = useExtraction(attachment, asks, readsPages, (found, marks) => {
    const filled = patient.fill(found);
    noteRead((known) => ({ ...known, [attachment!.id]: found }));
    seen.note(
      attachment!.id,
      marks.filter((m) => filled.includes(m.field) || !isExtracted(m.field)),
    );
  });
  return { isReading, offers, seen };
}
