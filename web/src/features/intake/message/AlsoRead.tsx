import { UnstyledButton } from '@mantine/core';
import type { ExtractedMark, Patient } from '@/api/types';
import { formatPhone } from '@/shared/format';

const ADDRESS = ['streetAddress1', 'city', 'state', 'postalCode'] as const;

export const NUMBER_LABEL = 'Number on the document';

/** Details of a document beyond the form's fields. `fields` are the names of their places. */
export type Offer = { label: string; value: string; fields: readonly ExtractedMark['field'][]; taken?: Partial<Patient> };

/** Contact details missing in the form, and the patient's number on the document. */
export function offersOf(found: Patient | undefined, draft: Patient): Offer[] {
  if (!found) return [];
  const { telephone, streetAddress1, city, state, postalCode } = found;
  const number = found.patientIds?.[0]?.id;
  const address = [streetAddress1, city, [state, postalCode].filter(Boolean).join(' ')].filter(Boolean).join(', ');
  return [
    ...(telephone && !draft.telephone
      ? [{ label: 'Telephone', value: formatPhone(telephone), fields: ['telephone' as const], taken: { telephone } }]
      : []),
    ...(address && ADDRESS.every((field) => !draft[field])
      ? [{ label: 'Address', value: address, fields: ADDRESS, taken: { streetAddress1, city, state, postalCode } }]
      : []),
    ...(number && number !== draft.patientId ? [ofNumber(number, draft)] : []),
  ];
}

/**
 * A document does not state for certain whose number it is: a person can take it over as the organization's own if there is none.
 */
const ofNumber = (number: string, { patientId }: Patient): Offer => ({
  label: NUMBER_LABEL,
  value: number,
  fields: ['patientIds'],
  ...(!patientId && { taken: { patientId: number } }),
});

export function AlsoRead({ offers, onTake }: { offers: readonly Offer[]; onTake?: (taken: Partial<Patient>) => void }) {
  if (offers.length === 0) return null;
  return (
    <dl className="cp-kv cp-differences cp-readnote" aria-label="Also read from the document">
      {offers.map(({ label, value, taken }) => (
        <div key={label} className="cp-difference">
          <dt>{label}</dt>
          <dd className="cp-row">
            <span className="cp-grow">{value}</span>
            {taken && onTake && (
              <UnstyledButton className="cp-link" aria-label={`Take over ${label.toLowerCase()}`} onClick={() => onTake(taken)}>
                Take over
              </UnstyledButton>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
