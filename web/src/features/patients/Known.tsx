import type { PatientView } from '@/api/types';
import { addressOf, FIELD_NAMES } from '@/domain/messaging/patients/words';
import { PATIENT_LABELS } from '@/domain/messaging/rules';
import { formatDay } from '@/shared/format';
import { paths } from '@/shared/paths';
import { showDate } from '@/shared/rules/dates';
import { AppLink } from '@/shared/ui/AppLink';
import { Notice } from '@/shared/ui/blocks';

type Told = PatientView['provenance'][number];

const KINDS: Record<string, string> = {
  Received: 'from a received message',
  Sent: 'from a sent message',
  Interface: 'from your interface',
  Correction: 'corrected',
};

/** The source of a value, with its date. */
function Origin({ told }: { told: Told | undefined }) {
  if (!told) return null;
  const words = `${told.person ? `${KINDS[told.kind]} by ${told.person}` : (KINDS[told.kind] ?? '')}, ${formatDay(told.at)}`;
  const href = told.messageId && (told.kind === 'Sent' ? paths.releaseMessage(told.messageId) : paths.intakeMessage(told.messageId));
  return (
    <span className="cp-muted cp-block cp-tiny">
      {href ? (
        <AppLink className="cp-link" href={href}>
          {words}
        </AppLink>
      ) : (
        words
      )}
    </span>
  );
}

/** The known details of a patient, each with its source and differing values. */
export function Known({ of }: { of: PatientView }) {
  const { patient: p } = of;
  const rows = [
    [PATIENT_LABELS.birthDate, 'birthDate', showDate(p.birthDate)],
    [PATIENT_LABELS.gender, 'gender', p.gender],
    [PATIENT_LABELS.patientId, 'patientId', p.patientId],
    [PATIENT_LABELS.telephone, 'telephone', p.telephone],
    ['Address', 'address', addressOf(p)],
  ] as const;
  const told = (field: string) => of.provenance.find((t) => t.field === field);
  const others = of.identifiers.filter((id) => id.id !== p.patientId);
  return (
    <section aria-labelledby="known">
      <h2 id="known" className="ptn-head">
        Known details
      </h2>
      {of.contradictions.length > 0 && (
        <Notice kind="warning">
          Sources give different values for: {of.contradictions.map((field) => FIELD_NAMES[field]).join(', ')}. Correct the wrong value, or
          check whether these are two people.
        </Notice>
      )}
      <dl className="ptn-known">
        {rows.map(([label, field, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              {value || <span className="cp-muted">not known</span>}
              {value && <Origin told={told(field)} />}
              {of.others
                .filter((other) => other.field === field)
                .map((other) => (
                  <span key={other.text} className="cp-muted cp-block cp-tiny">
                    other values: {field === 'birthDate' ? showDate(other.text) : other.text}
                  </span>
                ))}
            </dd>
          </div>
        ))}
        {of.otherNames.length > 0 && (
          <div>
            <dt>Also called</dt>
            <dd>{of.otherNames.join('; ')}</dd>
          </div>
        )}
        {others.length > 0 && (
          <div>
            <dt>Other numbers</dt>
            <dd>
              {others.map((id) => (
                <span key={`${id.root}.${id.id}`} className="cp-block">
                  {id.id} {id.root && <span className="cp-muted cp-tiny">{id.root}</span>}
                </span>
              ))}
            </dd>
          </div>
        )}
      </dl>
    </section>
  );
}
