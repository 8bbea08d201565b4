import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { ApiError } from '@/api/client';
import type { ChartConnection, Patient } from '@/api/types';
import { nameOf } from '@/domain/messaging/patients/words';
import { notify } from '@/shared/notify';
import { showDate } from '@/shared/rules/dates';
import { ConfirmDialog } from '@/shared/ui/Dialog';
import { addPatient, patientsQuery } from './api';

const fieldErrors = (error: unknown) => (error instanceof ApiError && error.status < 500 ? error.modelState : {});

type Options = {
  connection: ChartConnection;
  /** Runs a call, after a sign-in if one is needed. */
  guard: (run: () => Promise<void>) => void;
  /** Not called once the screen is gone. */
  onAdded: (patient: Patient) => void;
};

/** Adds a patient to the EHR, after a question if there are alike ones. */
export function useAddPatient({ connection, guard, onAdded }: Options) {
  const [refused, setRefused] = useState<Record<string, string[]>>({});
  const [asked, setAsked] = useState<Patient | null>(null);
  const [isAdding, setAdding] = useState(false);
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);

  const add = (patient: Patient, acceptsDuplicates = false) =>
    guard(async () => {
      setAdding(true);
      setRefused({});
      try {
        const added = await addPatient(connection.integrationId, patient, acceptsDuplicates);
        notify('success', `${nameOf(added)} was added to ${connection.name}.`);
        if (isShown.current) onAdded(added);
      } catch (error) {
        const errors = fieldErrors(error);
        if (errors.acceptsDuplicates) setAsked(patient);
        else if (Object.keys(errors).length > 0) {
          setAsked(null);
          setRefused(errors);
        } else throw error;
      } finally {
        setAdding(false);
      }
    });
  const question: ReactNode = asked && (
    <AlikeDialog
      connection={connection}
      patient={asked}
      busy={isAdding}
      onClose={() => setAsked(null)}
      onConfirm={() => add(asked, true)}
    />
  );
  return { add, isAdding, refused, question };
}

type AlikeProps = { connection: ChartConnection; patient: Patient; busy: boolean; onClose: () => void; onConfirm: () => void };

/** Shows the patients of the EHR who may be the same person. */
function AlikeDialog({ connection: { integrationId, name }, patient, busy, onClose, onConfirm }: AlikeProps) {
  const { lastName, birthDate } = patient;
  const alike = useQuery(patientsQuery({ integrationId, lastName: lastName ?? '', birthDate, showInactive: true }));
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      onConfirm={onConfirm}
      title="Add Patient"
      subject={nameOf(patient)}
      question="Add this person anyway?"
      confirmLabel="Add Patient"
      busy={busy}
    >
      <p>{name} has patients with this last name and birth date:</p>
      <ul className="chart-alike" aria-busy={alike.isPending}>
        {alike.data?.items.map((p) => (
          <li key={p.id}>
            {[
              nameOf(p),
              showDate(p.birthDate),
              p.gender,
              p.medicalRecordNumber && `MRN ${p.medicalRecordNumber}`,
              !p.isActive && 'inactive',
            ]
              .filter(Boolean)
              .join(' · ')}
          </li>
        ))}
        {alike.isError && <li>These patients could not be loaded. Search for them before you add one.</li>}
      </ul>
    </ConfirmDialog>
  );
}
