import { Button } from '@mantine/core';
import type { Patient, PatientMatch } from '@/api/types';
import { why } from '@/domain/messaging/patients/words';
import { showDate } from '@/shared/rules/dates';
import type { PatientMatches } from './usePatientMatches';

/** A value of a known patient; one that differs from the document's is highlighted. */
function Value({ of, field, children }: { of: PatientMatch; field: PatientMatch['fields'][number]['field']; children?: string | null }) {
  if (!children) return null;
  const differs = of.fields.some((f) => f.field === field && f.agreement === 'Differs');
  return differs ? <span className="cp-diff">{children}</span> : <>{children}</>;
}

/** The known patients who may be the one of the document, the likeliest first. */
export function KnownPatients({ matches: { items, take }, draft }: { matches: PatientMatches; draft: Patient }) {
  if (items.length === 0) return null;
  const about = [draft.firstName, draft.lastName].filter(Boolean).join(' ');
  return (
    <ul className="cp-known" aria-label={about ? `Known patients like ${about}` : 'Known patients'}>
      {items.map((match, at) => {
        const { patient, certainty, percent } = match;
        const given = [patient.firstName, patient.middleName].filter(Boolean).join(' ');
        const name = [patient.lastName, given].filter(Boolean).join(', ');
        return (
          <li key={`${name}-${patient.birthDate}-${patient.patientId}`} className={certainty === 'Certain' ? 'certain' : undefined}>
            <div className="cp-grow">
              <span className="cp-strong cp-block">
                <Value of={match} field="lastName">
                  {patient.lastName}
                </Value>
                {patient.lastName && given && ', '}
                <Value of={match} field="firstName">
                  {given}
                </Value>
              </span>
              <span className="cp-muted cp-block cp-num">
                <Value of={match} field="birthDate">
                  {showDate(patient.birthDate ?? '')}
                </Value>
                {patient.gender && ' · '}
                <Value of={match} field="gender">
                  {patient.gender}
                </Value>
                {patient.patientId && ' · '}
                <Value of={match} field="patientId">
                  {patient.patientId}
                </Value>
              </span>
              <span className="cp-muted cp-block cp-tiny">{why(match)}</span>
            </div>
            <span className="cp-num cp-muted">
              {certainty === 'Certain' ? 'Certain' : 'Possible'} {percent}%
            </span>
            <Button
              size="xs"
              variant="default"
              aria-label={`Select ${name}`}
              aria-keyshortcuts={at === 0 ? 'm' : undefined}
              onClick={() => take(match)}
            >
              Select
            </Button>
          </li>
        );
      })}
    </ul>
  );
}
