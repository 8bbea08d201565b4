import type { DuplicatePair, KnownPatient } from '@/api/types';
import { addressOf, nameOf } from '@/domain/messaging/patients/words';
import { PATIENT_LABELS } from '@/domain/messaging/rules';
import { plural } from '@/shared/format';
import { paths } from '@/shared/paths';
import { showDate } from '@/shared/rules/dates';
import { AppLink } from '@/shared/ui/AppLink';

type Compared = DuplicatePair['fields'][number];
const ROWS: readonly [label: string, field: Compared['field'], value: (p: KnownPatient['patient']) => string | null | undefined][] = [
  ['Name', 'lastName', nameOf],
  [PATIENT_LABELS.birthDate, 'birthDate', (p) => showDate(p.birthDate)],
  [PATIENT_LABELS.gender, 'gender', (p) => p.gender],
  [PATIENT_LABELS.patientId, 'patientId', (p) => p.patientId],
  [PATIENT_LABELS.telephone, 'telephone', (p) => p.telephone],
  ['Address', 'address', addressOf],
];

const WORDS = { Agrees: 'Same', Similar: 'Similar', Differs: 'Differs' } as const;

/** The comparison of two values; a name is as different as its most different part. */
function agreement(pair: DuplicatePair, field: Compared['field']) {
  const names = ['lastName', 'firstName', 'middleName', 'suffix'];
  const about = pair.fields.filter((f) => (field === 'lastName' ? names.includes(f.field) : f.field === field));
  return (['Differs', 'Similar', 'Agrees'] as const).find((word) => about.some((f) => f.agreement === word));
}

/** Two patients side by side, with the comparison of each value. */
export function Sides({ pair }: { pair: DuplicatePair }) {
  const { one, other } = pair;
  const shown = ROWS.filter(([, , value]) => value(one.patient) || value(other.patient));
  return (
    <table className="ptn-sides">
      <thead>
        <tr>
          <th scope="col">
            <span className="cp-hidden">Detail</span>
          </th>
          {[one, other].map((p) => (
            <th key={p.id} scope="col">
              {p.id ? (
                <AppLink className="cp-link" href={paths.patient(p.id)}>
                  {nameOf(p.patient) || 'No name'}
                </AppLink>
              ) : (
                nameOf(p.patient)
              )}
              <span className="cp-muted cp-block cp-num">{plural(p.messageCount, 'message')}</span>
            </th>
          ))}
          <th scope="col">Compared</th>
        </tr>
      </thead>
      <tbody>
        {shown.map(([label, field, value]) => {
          const found = agreement(pair, field);
          const className = found === 'Differs' ? 'cp-diff' : undefined;
          return (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td className={className}>{value(one.patient) || '–'}</td>
              <td className={className}>{value(other.patient) || '–'}</td>
              <td className="cp-muted">
                {found ? WORDS[found] : value(one.patient) && value(other.patient) ? 'Cannot be compared' : 'Not known for both'}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
