import { Button, UnstyledButton } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { IconFileImport, IconScan } from '@tabler/icons-react';
import { useState } from 'react';
import { api, quiet, unwrap } from '@/api/client';
import type { Attachment, Patient } from '@/api/types';
import { PatientFields } from '@/domain/messaging/PatientFields';
import { FindPatient } from '@/domain/messaging/patients/FindPatient';
import { nameOf } from '@/domain/messaging/patients/words';
import {
  type Export,
  extensionOf,
  isStructured,
  lockedPatient,
  PATIENT_LABELS,
  patientDifferences,
  patientEditable,
  patientRequired,
  visitEditable,
} from '@/domain/messaging/rules';
import { at } from '@/domain/messaging/viewer/api';
import { notify } from '@/shared/notify';
import { offerUndo } from '@/shared/undo';
import { paths } from '@/shared/paths';
import { showDate } from '@/shared/rules/dates';
import { AppLink } from '@/shared/ui/AppLink';
import { ConfirmDialog } from '@/shared/ui/Dialog';
import { AlsoRead, type Offer } from './AlsoRead';
import { KnownPatients } from './KnownPatients';
import { ChangedFields, SaveNote } from './saving';
import type { useMarks } from './useMarks';
import type { PatientForm } from './usePatientForm';
import type { PatientMatches } from './usePatientMatches';

/** Structured documents do, and the metadata of packages. */
const namesPatient = (a: Attachment) => isStructured(a) || extensionOf(a.fileName) === 'zip';

/** A structured document names its patient: take those details over, after a question where they differ. */
function FromDocument({ attachment, form }: { attachment: Attachment; form: PatientForm }) {
  const [found, setFound] = useState<Patient | null>(null);
  const ask = useMutation({
    mutationFn: () => unwrap(api.GET('/api/messages/{id}/attachments/{attachmentId}/patient', { ...at(attachment), ...quiet })),
    onSuccess: (patient) => {
      if (!patient.lastName && !patient.firstName) notify('info', 'The document names no patient.');
      else if (patientDifferences(form.draft, patient).length) setFound(patient);
      else form.replace(patient);
    },
  });
  const differences = found ? patientDifferences(form.draft, found) : [];
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconFileImport size={15} stroke={1.6} />}
        loading={ask.isPending}
        onClick={() => ask.mutate()}
      >
        From document
      </Button>
      <ConfirmDialog
        opened={found !== null}
        onClose={() => setFound(null)}
        onConfirm={() => {
          if (found) form.replace(found);
          setFound(null);
        }}
        title="Overwrite patient details"
        subject={attachment.fileName}
        question="Do you want to overwrite the patient details with those of the document?"
        confirmLabel="Overwrite"
      >
        <dl className="cp-kv cp-differences">
          {differences.map((d) => (
            <div key={d.field} className="cp-difference">
              <dt>{PATIENT_LABELS[d.field]}</dt>
              <dd>
                {showDate(d.from)} → <span className="cp-diff">{showDate(d.to) || 'none'}</span>
              </dd>
            </div>
          ))}
        </dl>
      </ConfirmDialog>
    </>
  );
}

type Props = {
  form: PatientForm;
  settings: Export;
  attachment: Attachment | undefined;
  reading: boolean;
  /** The page that has all read values. */
  readFrom: number | null;
  /** Further details of the document. */
  offers: readonly Offer[];
  /** Handlers that show the place of a field's value in the document. */
  pointing: ReturnType<typeof useMarks>['pointing'];
  matches: PatientMatches;
  /** The visits are those of the chart. */
  hasChartVisits: boolean;
  /** Clears a patient who was looked up in a chart. */
  onClear: () => void;
  size?: 'sm' | 'md';
};

export function PatientPane(props: Props) {
  const { form, settings, attachment, reading, readFrom, offers, pointing, matches, hasChartVisits, onClear, size = 'sm' } = props;
  const isLocked = lockedPatient(form.draft);
  const mayEdit = patientEditable('intake', settings);
  const editable = mayEdit && !isLocked;
  const count = form.unverified.size;
  const choose = (patient: Patient) => {
    const undo = form.take({ ...patient, visitDate: null, visitId: null });
    offerUndo(`${nameOf(patient) || 'The patient'} was chosen.`, async () => undo());
  };
  return (
    <section className="cp-sec" aria-labelledby="patient-pane">
      <div className="cp-sec-h">
        <h2 id="patient-pane">Patient</h2>
        <SaveNote state={form.state} onRetry={() => void form.flush()} />
        <div className="cp-grow" />
        {form.draft.knownPatientId && (
          <AppLink className="cp-link" href={paths.patient(form.draft.knownPatientId)}>
            Open patient
          </AppLink>
        )}
        {isLocked && mayEdit && (
          <UnstyledButton className="cp-link" onClick={onClear}>
            Clear patient
          </UnstyledButton>
        )}
        {editable && attachment && namesPatient(attachment) && <FromDocument attachment={attachment} form={form} />}
      </div>
      <ChangedFields conflicts={form.conflicts} labels={PATIENT_LABELS} onChoose={form.choose} />
      <KnownPatients matches={matches} draft={form.draft} />
      {reading && count === 0 && (
        <p className="cp-muted cp-readnote" role="status">
          Reading patient details…
        </p>
      )}
      {count > 0 && (
        <div className="cp-row cp-readnote">
          <span className="cp-plain t-warn" data-loud>
            <IconScan size={15} stroke={1.8} aria-hidden />
            {readFrom ? `Read from page ${readFrom}, not verified` : 'Read from the document, not verified'}
          </span>
          <div className="cp-grow" />
          <UnstyledButton className="cp-link" onClick={() => form.confirm([...form.unverified])}>
            {count === 1 ? 'Confirm' : `Confirm all ${count}`}
          </UnstyledButton>
        </div>
      )}
      {count > 0 && <p className="cp-muted cp-readnote">Filing confirms the highlighted details.</p>}
      {editable && (
        <FindPatient
          current={form.draft}
          // The visit belongs to another message.
          onFound={choose}
        />
      )}
      <div {...pointing}>
        <PatientFields
          size={size}
          value={form.draft}
          onChange={form.change}
          onDone={form.done}
          errors={form.errors}
          disabled={!editable}
          visitDisabled={hasChartVisits || !visitEditable('intake', settings)}
          required={patientRequired('intake', settings)}
          unverified={form.unverified}
          onConfirm={(field) => form.confirm([field])}
        />
      </div>
      <AlsoRead
        offers={offers}
        onTake={
          editable
            ? (taken) => {
                form.change(taken);
                form.done();
              }
            : undefined
        }
      />
    </section>
  );
}
