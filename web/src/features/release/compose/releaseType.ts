import type { DocumentSource, ReleaseType } from '@/api/types';
import type { ComposeValues } from './model';

/** The values fixed by a release type. A quick release fixes both ends. */
export function locksOf(type: ReleaseType | undefined) {
  const from = Boolean(type?.originAddressId);
  return { from, to: from && Boolean(type?.destinationAddress) };
}

/** Whether the recipients are fixed: a quick release goes to its destination alone. Other recipients can be removed. */
export const fixesTo = (type: ReleaseType | undefined, to: string[]) =>
  locksOf(type).to && to.length === 1 && to[0] === type?.destinationAddress;

/** The recipient that leaves with a release type, if it is one that the type had filled. */
export const leavesWith = (before: ReleaseType | undefined, to: string[], after: ComposeValues) =>
  to.find((a) => a === before?.destinationAddress && !after.to.includes(a));

/** The classification of a referral note (LOINC). */
const REFERRAL_NOTE = '57133-1';

/** The release type that a new release begins with: a referral with that of referrals, any other with the one used last. */
export function firstType(types: ReleaseType[], { isReferral, last }: { isReferral: boolean; last: string }): ReleaseType | undefined {
  // A quick release is chosen each time, since it fixes both ends.
  const open = types.filter((t) => !t.isRetired && !locksOf(t).to);
  if (!isReferral) return open.find((t) => t.id === last);
  const referrals = open.filter((t) => t.classificationCode === REFERRAL_NOTE);
  return referrals.find((t) => t.id === last) ?? referrals.find((t) => !t.organizationId) ?? referrals[0];
}

const subjectOf = (type: ReleaseType | undefined) => type?.subject || type?.name || '';

/** Choosing a type fills subject, origin, destination, classification and conversion; a typed subject stays. */
export function applyType(
  values: ComposeValues,
  type: ReleaseType | undefined,
  { before, sources }: { before: ReleaseType | undefined; sources: DocumentSource[] },
): ComposeValues {
  const own = (address: string | null | undefined) => (address ? [address] : []);
  // Values of the previous type are removed.
  const to = values.to.filter((a) => a !== before?.destinationAddress);
  if (!type) return { ...values, releaseTypeId: null, classification: null, to };
  const origin = sources.find((s) => s.id === type.originAddressId);
  const isTyped = values.subject.trim() !== '' && values.subject !== subjectOf(before);
  return {
    ...values,
    releaseTypeId: type.id,
    subject: isTyped ? values.subject : subjectOf(type),
    from: origin?.fullAddress ?? values.from,
    to: [...own(type.destinationAddress), ...to.filter((a) => a !== type.destinationAddress)],
    classification: type.classificationCode ?? null,
    conversion: type.conversion ?? null,
  };
}

/** Changing or removing the destination that a type filled clears the type. */
export function changeTo(values: ComposeValues, to: string[], type: ReleaseType | undefined): ComposeValues {
  const keepsDestination = !type?.destinationAddress || to.includes(type.destinationAddress);
  return keepsDestination ? { ...values, to } : { ...values, to, releaseTypeId: null, classification: null };
}
