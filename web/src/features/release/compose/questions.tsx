import { Button } from '@mantine/core';
import { plural } from '@/shared/format';
import { showDate } from '@/shared/rules/dates';
import { Dialog } from '@/shared/ui/Dialog';
import { GENDERS, PATIENT_LABELS, type PatientField } from '@/domain/messaging/rules';

type LeaveProps = { subject: string; busy: 'save' | 'discard' | null; onStay: () => void; onSave: () => void; onDiscard: () => void };

/** Closing means stay. */
export function LeaveDialog({ subject, busy, onStay, onSave, onDiscard }: LeaveProps) {
  return (
    <Dialog
      opened
      onClose={onStay}
      title="Save this draft?"
      size={480}
      footer={
        <>
          <Button size="md" variant="default" disabled={busy !== null} onClick={onStay}>
            Keep editing
          </Button>
          <div className="cp-grow" />
          <Button size="md" variant="default" loading={busy === 'discard'} disabled={busy === 'save'} onClick={onDiscard}>
            Discard
          </Button>
          <Button size="md" data-autofocus loading={busy === 'save'} disabled={busy === 'discard'} onClick={onSave}>
            Save
          </Button>
        </>
      }
    >
      <p className="cp-subject">{subject}</p>
      <p className="cp-question">A saved draft stays under Release. Discarding deletes the text and its attachments.</p>
    </Dialog>
  );
}

type IncludeProps = {
  subject: string;
  count: number;
  busy: 'include' | 'remove' | null;
  onClose: () => void;
  onChoose: (include: boolean) => void;
};

/** Asked before replying to or forwarding a message that has attachments. */
export function IncludeDialog({ subject, count, busy, onClose, onChoose }: IncludeProps) {
  return (
    <Dialog
      opened
      onClose={onClose}
      title="Include the attachments?"
      size={480}
      footer={
        <>
          <div className="cp-grow" />
          <Button size="md" variant="default" loading={busy === 'remove'} disabled={busy === 'include'} onClick={() => onChoose(false)}>
            Remove
          </Button>
          <Button size="md" data-autofocus loading={busy === 'include'} disabled={busy === 'remove'} onClick={() => onChoose(true)}>
            Include
          </Button>
        </>
      }
    >
      <p className="cp-subject">{subject}</p>
      <p className="cp-question">The message has {plural(count, 'attachment')}.</p>
    </Dialog>
  );
}

const shown = (field: PatientField, value: string) =>
  field === 'birthDate' ? showDate(value) : field === 'gender' ? (GENDERS.find((g) => g.value === value)?.label ?? value) : value;

type OverwriteProps = {
  fileName: string;
  differences: { field: PatientField; from: string; to: string }[];
  onKeep: () => void;
  onOverwrite: () => void;
};

/** The document names the patient differently than the form. */
export function OverwriteDialog({ fileName, differences, onKeep, onOverwrite }: OverwriteProps) {
  return (
    <Dialog
      opened
      onClose={onKeep}
      title="Overwrite patient details?"
      size={560}
      footer={
        <>
          <div className="cp-grow" />
          <Button size="md" variant="default" data-autofocus onClick={onKeep}>
            Keep mine
          </Button>
          <Button size="md" onClick={onOverwrite}>
            Overwrite
          </Button>
        </>
      }
    >
      <p className="cp-subject">{fileName}</p>
      <p className="cp-question">The document and the form have different details:</p>
      <table className="cp-table cp-mini cp-flat rel-differences" aria-label="Differences">
        <thead>
          <tr>
            <th>Field</th>
            <th>Form</th>
            <th>Document</th>
          </tr>
        </thead>
        <tbody>
          {differences.map((d) => (
            <tr key={d.field}>
              <td className="p">{PATIENT_LABELS[d.field]}</td>
              <td>{shown(d.field, d.from)}</td>
              <td className="cp-diff">{shown(d.field, d.to) || 'none'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  );
}
