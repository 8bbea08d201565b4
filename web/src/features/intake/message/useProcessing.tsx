import { Button } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { Attachment, DifferingDocument, Message, Patient } from '@/api/types';
import { differingDocuments } from '@/domain/messaging/api';
import {
  type Export,
  EXTRACTED,
  type ExtractedField,
  GENDERS,
  isNameless,
  isStructured,
  PATIENT_LABELS,
  patientEditable,
  patientLine,
  patientRequired,
} from '@/domain/messaging/rules';
import { plural } from '@/shared/format';
import { showDate } from '@/shared/rules/dates';
import { Dialog } from '@/shared/ui/Dialog';
import type { ChartTarget } from './chart/api';
import { DiffersDialog } from './DiffersDialog';
import type { MetaForms } from './useMetaForms';
import type { Notes } from './useNotes';
import type { PatientForm } from './usePatientForm';

type Parts = {
  message: Message;
  settings: Export;
  patient: PatientForm;
  /** The certain match among known patients. */
  certain?: Patient | null;
  metas: MetaForms;
  attachment: Attachment | undefined;
  notes: Notes;
  /** The document is still being read. */
  isReading: boolean;
  /** Opens the finder of patients. */
  findPatient: () => void;
  /** Whether these details and their places in the document were on the screen. */
  wereSeen: (fields: readonly ExtractedField[]) => boolean;
  /** The patient of the chart who is on the screen. */
  chartPatient: ChartTarget | null;
  /** Further problems that prevent filing into the chart. */
  chartProblems: () => string[];
  /** Saves what is proposed for the chart and was on the screen. */
  takeProposed: () => void;
  /** Chooses a known patient instead. */
  takeKnown: (known: Patient) => void;
  /** Asks for the types of the documents. */
  askType: (then: { onTyped: () => void; onWithout: () => void }) => void;
};

const NOT_SAVED = 'Your changes could not be saved yet. Please try again.';
/** Whom to file it to: into the chart of this patient, or as processed alone. */
export type Way = ChartTarget | 'plain';
const OTHER_PATIENT = 'The patient of this message was changed meanwhile. Please check it and file again.';
const UNDECIDED = 'Please choose between your changes and those of the other person.';

/** Gaps that a person has confirmed. */
export type Accepted = { acceptsGaps: boolean; acceptsPatient?: boolean };

/** The errors that prevent processing, in page order. */
function problemsOf({ settings, patient, metas, attachment }: Parts, asksToConfirm: boolean): string[] {
  const meta = attachment && metas.of(attachment);
  const isOpen = patient.conflicts.length > 0 || (meta && meta.conflicts.length > 0);
  return [
    ...Object.entries({ ...patient.wrong, ...patient.missing }).map(([field, text]) => patientLine(field, text)),
    ...Object.values(meta?.missing ?? {}),
    ...(isOpen ? [UNDECIDED] : []),
    ...(!asksToConfirm && patientRequired('intake', settings) && patient.unverified.size > 0
      ? ['Please confirm the patient details that were read from the document.']
      : []),
  ];
}

/** Missing values that make a document findable. */
type Gaps = { unverified: ExtractedField[]; hasPatient: boolean; untyped: Attachment[] };

function gapsOf({ message, settings, patient, metas }: Parts): Gaps | null {
  if (!patientEditable('intake', settings)) return null;
  const unverified = EXTRACTED.filter((f) => patient.unverified.has(f));
  const hasPatient = !isNameless(patient.confirmed);
  const untyped = message.attachments.filter((a) => !isStructured(a) && !metas.of(a).draft.documentType?.trim());
  return unverified.length > 0 || !hasPatient || untyped.length > 0 ? { unverified, hasPatient, untyped } : null;
}

/** Whether only the confirmation of read values is missing. */
const isConfirmedByFiling = ({ unverified, hasPatient, untyped }: Gaps) =>
  untyped.length === 0 && (hasPatient || unverified.some((f) => f === 'firstName' || f === 'lastName'));

/** Whether the patient is known, and only document types are missing. */
const isTypeAlone = ({ untyped, ...others }: Gaps) => untyped.length > 0 && isConfirmedByFiling({ ...others, untyped: [] });

/**
 * Checks a message before it is processed: required, unconfirmed and missing values. `process` starts the checks, `go` runs
 * once everything is saved.
 */
export function useProcessing(parts: Parts, go: (accepts: Accepted, way: Way) => void, onProblems: () => void) {
  const [problems, setProblems] = useState<string[]>([]);
  // Gaps are recomputed while the question is open, since the document may still be read.
  const [isAsking, ask] = useState(false);
  const gaps = isAsking ? gapsOf(parts) : null;
  if (isAsking && !gaps) ask(false);
  const [differs, setDiffers] = useState<{ documents: DifferingDocument[]; acceptsGaps: boolean } | null>(null);
  const { patient, metas, attachment, notes, askType } = parts;
  const way = useRef<Way>('plain');
  const problemsNow = (asksToConfirm: boolean) => [
    ...new Set([...problemsOf(parts, asksToConfirm), ...(way.current === 'plain' ? [] : parts.chartProblems())]),
  ];

  const saveAndGo = async (acceptsGaps: boolean) => {
    const target = way.current;
    if (target !== 'plain') parts.takeProposed();
    const saved = await Promise.all([patient.flush(), metas.flush(attachment), notes.flush()]);
    // What a colleague has saved is merged by now.
    const now = patient.current().integrationMeta;
    const isOther =
      target !== 'plain' &&
      (now?.patientId !== target.chartPatientId || (now.integrationId ?? target.integrationId) !== target.integrationId);
    if (isOther || !saved.every(Boolean)) {
      setProblems([isOther ? OTHER_PATIENT : NOT_SAVED]);
      return onProblems();
    }
    // The server checks it again if the check here failed.
    const documents = await differingDocuments(parts.message.id).catch(() => []);
    if (documents.length > 0) return setDiffers({ documents, acceptsGaps });
    go({ acceptsGaps }, target);
  };
  const process = async () => {
    patient.check();
    if (attachment) metas.of(attachment).check();
    const found = problemsNow(true);
    setProblems(found);
    if (found.length) return onProblems();
    const open = gapsOf(parts);
    if (open && isTypeAlone(open)) return askType({ onTyped: () => setTimeout(() => void latest.current()), onWithout: () => ask(true) });
    if (open && !(isConfirmedByFiling(open) && parts.wereSeen(open.unverified))) return ask(true);
    // Filing confirms the read values that are on the screen.
    if (open) patient.confirm(open.unverified);
    if (parts.certain) patient.link(parts.certain);
    await saveAndGo(false);
  };
  /** Knows the types that were just chosen, unlike the one that asked for them. */
  const latest = useRef(process);
  useEffect(() => {
    latest.current = process;
  });
  const proceed = async (confirms: readonly ExtractedField[]) => {
    ask(false);
    if (confirms.length) patient.confirm(confirms);
    else {
      const found = problemsNow(false);
      setProblems(found);
      if (found.length) return onProblems();
    }
    await saveAndGo(true);
  };
  const question = differs ? (
    <DiffersDialog
      documents={differs.documents}
      chosen={patient.draft}
      onClose={() => setDiffers(null)}
      onAnyway={() => {
        setDiffers(null);
        go({ acceptsGaps: differs.acceptsGaps, acceptsPatient: true }, way.current);
      }}
      onChange={() => {
        setDiffers(null);
        parts.findPatient();
      }}
      onUse={(known) => {
        setDiffers(null);
        parts.takeKnown(known);
      }}
    />
  ) : gaps ? (
    <GapsDialog
      gaps={gaps}
      isReading={parts.isReading}
      draft={patient.draft}
      mayGo={parts.settings.gaps !== 'refuse'}
      subject={parts.message.subject || 'No subject'}
      onClose={() => ask(false)}
      onGo={(confirms) => void proceed(confirms)}
    />
  ) : null;
  const start = (asked: Way) => {
    way.current = asked;
    void process();
  };
  return {
    process: () => start('plain'),
    intoChart: () => parts.chartPatient && start(parts.chartPatient),
    problems,
    clear: () => setProblems([]),
    question,
  };
}

const shown = (field: ExtractedField, value: string | null | undefined) =>
  field === 'gender' ? (GENDERS.find((g) => g.value === value)?.label ?? value) : showDate(value);

type DialogProps = {
  gaps: Gaps;
  /** Details of the document may still arrive. */
  isReading: boolean;
  draft: PatientForm['draft'];
  /** Whether the organization allows processing without a patient or type. */
  mayGo: boolean;
  subject: string;
  onClose: () => void;
  onGo: (confirms: readonly ExtractedField[]) => void;
};

function GapsDialog({ gaps, isReading, draft, mayGo, subject, onClose, onGo }: DialogProps) {
  const { unverified, hasPatient, untyped } = gaps;
  const willHavePatient = hasPatient || unverified.some((f) => f === 'firstName' || f === 'lastName');
  const lines = [
    ...(willHavePatient ? [] : ['There is no patient yet, so it will not show up under any patient.']),
    ...untyped.map((a) => `No document type is chosen for ${a.fileName}.`),
  ];
  return (
    <Dialog
      opened
      onClose={onClose}
      title="Check before filing"
      size={560}
      footer={
        <>
          <Button size="md" variant="default" data-autofocus onClick={onClose}>
            Go back
          </Button>
          <div className="cp-grow" />
          {mayGo && (
            <Button size="md" variant="default" onClick={() => onGo([])}>
              {isReading ? 'File without waiting' : unverified.length ? 'File without them' : 'File anyway'}
            </Button>
          )}
          {unverified.length > 0 && (mayGo || lines.length === 0) && (
            <Button size="md" onClick={() => onGo(unverified)}>
              Confirm and file
            </Button>
          )}
        </>
      }
    >
      <p className="cp-subject">{subject}</p>
      {isReading && (
        <p className="cp-question cp-row" role="status">
          <span className="cp-spin" aria-hidden />
          Still reading the document. Its patient details appear here when they are ready.
        </p>
      )}
      {unverified.length > 0 && (
        <>
          <p className="cp-question">
            {plural(unverified.length, 'detail')} of the patient {unverified.length === 1 ? 'was' : 'were'} read from the document and not
            confirmed:
          </p>
          <dl className="cp-kv cp-gaps">
            {unverified.map((field) => (
              <div key={field} className="cp-difference">
                <dt>{PATIENT_LABELS[field]}</dt>
                <dd>{shown(field, draft[field])}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
      {lines.map((line) => (
        <p key={line} className="cp-question">
          {line}
        </p>
      ))}
      {!mayGo && lines.length > 0 && <p className="cp-question">Your organization files messages only with a patient and document type.</p>}
    </Dialog>
  );
}
