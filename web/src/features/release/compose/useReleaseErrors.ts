import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AddressCheck } from '@/api/types';
import { PATIENT_FIELDS } from '@/domain/messaging/rules';
import { now } from '@/shared/clock';
import { addressChecksQuery } from '../api';
import type { Mode } from './model';
import { addressError, addressErrors, patientFieldErrors, patientFormErrors, type SendError, type SendField, sendErrors } from './rules';
import type { DraftMessage } from './useDraftMessage';
import type { ReleaseForm } from './useReleaseForm';
import type { Uploads } from './useUploads';

type Options = { mode: Mode; form: ReleaseForm; draft: DraftMessage; uploads: Uploads };

export type ReleaseErrors = ReturnType<typeof useReleaseErrors>;

/** The errors that prevent sending, by the rules here or from the server. */
export function useReleaseErrors({ mode, form, draft, uploads }: Options) {
  const { values, addresses } = form;
  const [found, setFound] = useState<SendError[]>([]);
  const [serverLines, setServerLines] = useState<string[]>([]);
  const checkable = addresses.filter((a) => addressError(a) === null);
  const checks = useQuery(addressChecksQuery(checkable));
  const invalid = addressErrors(addresses, checks.data ?? []);

  const unfinished = uploads.uploads.map((u) => u.file.name);
  const findErrors = (wrong: ReadonlyMap<string, string>) =>
    sendErrors({ values, mode, attachments: draft.attachments, unfinished, invalid: wrong, today: now() });
  // Corrected errors are removed; new ones appear at the next check.
  const open = found.length ? findErrors(invalid) : [];
  const shown = found.filter((e) => open.some((o) => o.text === e.text));
  const lacksPatient = shown.some((e) => (PATIENT_FIELDS as string[]).includes(e.field));
  return {
    /** The recipients that the server can check. */
    checkable,
    /** Error of each address. */
    invalid,
    /** Checks again, with the server's answer on the addresses. */
    look: (answer: Pick<AddressCheck, 'address' | 'isValid' | 'message'>[]) => {
      const errors = findErrors(addressErrors(addresses, answer));
      setFound(errors);
      return errors;
    },
    setServerLines,
    of: (field: SendField) => shown.find((e) => e.field === field)?.text,
    ofPatient: lacksPatient ? patientFieldErrors(values.patient, mode, now()) : patientFormErrors(values.patient, now()),
    lines: [...new Set([...serverLines, ...shown.map((e) => e.text)])],
  };
}

export const fieldId = (field: SendField) => `release-${field}`;

/** Focuses the first invalid field, else the list of errors. */
export function focusError(list: SendError[]) {
  const first = list[0];
  if (!first) return;
  requestAnimationFrame(() => {
    const box = document.getElementById('release-errors');
    const field = document.getElementById(fieldId(first.field));
    box?.scrollIntoView({ block: 'nearest' });
    (field?.matches('input, textarea') ? field : box)?.focus();
  });
}
