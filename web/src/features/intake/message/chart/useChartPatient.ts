import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { ChartCapability, ChartConnection, ChartPatient, Message, Patient } from '@/api/types';
import { readPatient } from '@/domain/charts/api';
import { patientOf } from '@/domain/charts/search';
import type { useExternalLogin } from '@/domain/charts/useExternalLogin';
import { nameOf } from '@/domain/messaging/patients/words';
import { notify } from '@/shared/notify';
import { offerUndo } from '@/shared/undo';
import type { PatientForm } from '../usePatientForm';
import { isSamePerson } from './rules';

type Parts = {
  message: Message;
  patient: PatientForm;
  connection: ChartConnection | undefined;
  has: (capability: ChartCapability) => boolean;
  /** Why the EHR cannot be called now. */
  note: string | undefined;
  login: ReturnType<typeof useExternalLogin>;
  /** Orders are those of one patient. Answers a function that restores them. */
  dropOrders: () => () => void;
};

/** Finds, chooses and clears the patient of the chart. */
export function useChartPatient({ message, patient, connection, has, note, login, dropOrders }: Parts) {
  const [isFinding, setFinding] = useState(false);
  const isHere = useRef(true);
  useEffect(() => {
    isHere.current = true;
    return () => void (isHere.current = false);
  }, []);

  const put = (words: string, change: () => () => void) => {
    const restoreOrders = dropOrders();
    const restore = change();
    offerUndo(words, async () => {
      // Refused, if somebody else has chosen a patient: the orders are those of that one.
      restore();
      restoreOrders();
    });
  };
  const take = (chosen: Patient) => put(`${nameOf(chosen) || 'The patient'} was chosen.`, () => patient.take(chosen));
  type Asked = { chosen: ChartPatient; before: Patient };
  const read = useMutation({
    mutationFn: ({ chosen }: Asked) => {
      const { integrationId } = connection!;
      return has('patientDetailsLookup') ? readPatient(integrationId, chosen.id) : Promise.resolve(patientOf(chosen, integrationId));
    },
    meta: { ownErrors: true },
    onSuccess: (found, { before }) => {
      const now = patient.current();
      const isChanged = !isSamePerson(now, before) || now.integrationMeta?.patientId !== before.integrationMeta?.patientId;
      // An answer that comes too late is dropped.
      if (isHere.current && !isChanged && !message.isProcessed) take(found);
    },
  });
  /** Chooses one of the proposed patients. */
  const choose = (chosen: ChartPatient) => {
    if (!connection || read.isPending) return;
    let isFirst = !connection.needsLogin;
    void login.guard(connection, () => {
      if (!isFirst) return notify('info', SIGNED_IN);
      isFirst = false;
      return read.mutateAsync({ chosen, before: patient.current() });
    });
  };
  const canFind = has('patientLookup');
  const find = () => {
    if (!connection || !canFind) return;
    if (note) return notify('warning', note);
    void login.guard(connection, () => setFinding(true));
  };
  return {
    take,
    /** A known patient of ours, who is not of the chart. */
    takeKnown: (known: Patient) => {
      dropOrders();
      patient.take(known);
    },
    choose,
    isChoosing: read.isPending,
    clear: () => put('The patient was cleared.', () => patient.put(() => ({}))),
    /** Whether the EHR can search for patients. */
    canFind,
    find,
    isFinding,
    endFinding: () => setFinding(false),
  };
}

/** What is on the screen may have changed since the sign-in began, so nothing is done by itself. */
export const SIGNED_IN = 'You are signed in now. Please try again.';
