import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { quiet } from '@/api/client';
import { itemsOf, queryOf } from '@/api/query';
import type { DifferingDocument, Patient } from '@/api/types';
import { Compared, differing } from '@/domain/messaging/patients/Differs';
import { factsOf, nameOf } from '@/domain/messaging/patients/words';
import { Dialog } from '@/shared/ui/Dialog';

type Props = {
  documents: readonly DifferingDocument[];
  chosen: Patient;
  onClose: () => void;
  /** Files it under the chosen patient anyway. */
  onAnyway: () => void;
  /** Opens the finder. */
  onChange: () => void;
  /** Chooses a patient who matches better. */
  onUse: (patient: Patient) => void;
};

/** Shown when a document names another patient than the one to file under: both are compared, and a person decides. */
export function DiffersDialog({ documents, chosen, onClose, onAnyway, onChange, onUse }: Props) {
  const named = documents[0]!.patient;
  // Without an answer there is no hint.
  const { data } = useQuery({
    ...itemsOf(queryOf('post', '/api/patients/_match', { body: named, ...quiet })),
    staleTime: 0,
    gcTime: 0,
  });
  const better = data?.find((match) => match.certainty === 'Certain')?.patient;
  const lastName = chosen.lastName || 'this patient';
  return (
    <Dialog
      opened
      onClose={onClose}
      title="The document and the patient differ"
      size={640}
      footer={
        <>
          <Button size="md" variant="default" onClick={onClose}>
            Cancel
          </Button>
          <div className="cp-grow" />
          <Button size="md" variant="default" onClick={onAnyway}>
            File under {lastName} anyway
          </Button>
          <Button size="md" data-autofocus onClick={onChange}>
            Change patient
          </Button>
        </>
      }
    >
      {documents.map((document) => (
        <div key={document.attachmentId}>
          <p className="cp-question">
            <b className="cp-strong">{differing(document.fields)}</b> Nothing has been filed.
          </p>
          <Compared document={document} chosen={chosen} />
        </div>
      ))}
      {better && (
        <section aria-labelledby="agrees-better">
          <h3 id="agrees-better" className="cp-second">
            A better match among your patients
          </h3>
          <div className="cp-row">
            <span className="cp-grow">
              <span className="cp-strong cp-block">{nameOf(better)}</span>
              <span className="cp-muted cp-num">{factsOf(better)}</span>
            </span>
            <Button size="xs" variant="default" onClick={() => onUse(better)}>
              Use {nameOf(better)}
            </Button>
          </div>
        </section>
      )}
    </Dialog>
  );
}
