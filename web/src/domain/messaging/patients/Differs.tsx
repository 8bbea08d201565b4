import { Checkbox } from '@mantine/core';
import type { DifferingDocument, Patient } from '@/api/types';
import { showDate } from '@/shared/rules/dates';
import { GENDERS, PATIENT_LABELS } from '../rules';
import './patients.css';
import { addressOf, nameOf } from './words';

type Difference = DifferingDocument['fields'][number];

const NAMES: Record<Difference, string> = { name: 'Name', birthDate: 'birth date', gender: 'sex' };

/** "Name and birth date are not the same." */
export function differing(fields: readonly Difference[]): string {
  const names = fields.map((field) => NAMES[field]);
  const all = [names.slice(0, -1).join(', '), ...names.slice(-1)].filter(Boolean).join(' and ');
  const sentence = all.charAt(0).toUpperCase() + all.slice(1);
  return `${sentence} ${names.length === 1 ? 'is' : 'are'} not the same.`;
}

const sex = (p: Patient) => GENDERS.find((g) => g.value === p.gender)?.label ?? p.gender;
const ROWS: readonly [label: string, of: Difference | null, value: (p: Patient) => string | null | undefined][] = [
  ['Name', 'name', nameOf],
  [PATIENT_LABELS.birthDate, 'birthDate', (p) => showDate(p.birthDate)],
  ['Sex', 'gender', sex],
  // The number in a document may be that of another organization.
  ['MRN', null, (p) => p.patientId || p.patientIds?.[0]?.id],
  ['Address', null, addressOf],
];

/** The patient named in a document beside the chosen patient. */
export function Compared({ document, chosen }: { document: DifferingDocument; chosen: Patient }) {
  return (
    <table className="pat-differs" aria-label={document.fileName}>
      <thead>
        <tr>
          <th scope="col">
            <span className="cp-hidden">Detail</span>
          </th>
          <th scope="col">In {document.fileName}</th>
          <th scope="col">You chose</th>
        </tr>
      </thead>
      <tbody>
        {ROWS.map(([label, of, value]) => {
          const className = of && document.fields.includes(of) ? 'cp-diff' : undefined;
          return (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td className={className}>{value(document.patient) || '–'}</td>
              <td className={className}>{value(chosen) || '–'}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** The differences of a document that names another patient. */
export function differencesOf(said: Patient, chosen: Patient): Difference[] {
  const pairs: [Difference, string | null | undefined, string | null | undefined][] = [
    ['name', nameOf(said).toLowerCase(), nameOf(chosen).toLowerCase()],
    ['birthDate', said.birthDate, chosen.birthDate],
    ['gender', said.gender, chosen.gender],
  ];
  return pairs.filter(([, one, other]) => one && other && one !== other).map(([field]) => field);
}

type Props = {
  documents: readonly DifferingDocument[];
  chosen: Patient;
  isAccepted: boolean;
  onAccept: (isAccepted: boolean) => void;
  /** The error without a confirmation. */
  error: string | false;
};

/** Documents that name another patient, to be checked before the message is filed or sent. */
export function DiffersFields({ documents, chosen, isAccepted, onAccept, error }: Props) {
  return (
    <section aria-label="The document and the patient differ" className="pat-differing">
      {documents.map((document) => (
        <div key={document.attachmentId}>
          <p className="cp-question">
            <b className="cp-strong">The document and the patient differ.</b> {differing(document.fields)}
          </p>
          <Compared document={document} chosen={chosen} />
        </div>
      ))}
      <Checkbox
        label={`I have checked both: it belongs to ${nameOf(chosen) || 'this patient'}`}
        checked={isAccepted}
        onChange={(e) => onAccept(e.currentTarget.checked)}
        error={error}
      />
    </section>
  );
}

export const LOOK_FIRST = 'Please check both and confirm that it is the same patient.';
