import type { Attachment } from '@/api/types';
import { type ComposeValues, isPatientEmpty, type Mode } from './model';

/** Obstacle to tracking a release as a referral; empty without one, null if the release is not of that kind. */
export function lacksForReferral(values: ComposeValues, mode: Mode, attachments: Attachment[]): string | null {
  if (mode === 'forward' || mode === 'reply') return null;
  const all = [...values.to, ...values.cc, ...values.bcc];
  const isOneAddress = all.length === 1 && values.to.length === 1 && values.to[0]!.includes('@');
  if (!isOneAddress) return 'Enter exactly one Direct address for a referral.';
  if (isPatientEmpty(values.patient)) return 'A referral needs a patient.';
  return attachments.some((a) => a.isStructured) ? '' : 'Attach the referral note, a C-CDA document.';
}
