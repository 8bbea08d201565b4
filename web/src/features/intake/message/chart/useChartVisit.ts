import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ChartConnection, ChartVisit } from '@/api/types';
import { visitsQuery } from '@/domain/charts/api';
import { withoutVisit, withVisit } from '@/domain/messaging/rules';
import { now } from '@/shared/clock';
import { isoDate, showDate } from '@/shared/rules/dates';
import { offerUndo } from '@/shared/undo';
import type { PatientForm } from '../usePatientForm';
import { proposedVisit } from './rules';

type Parts = {
  connection: ChartConnection | undefined;
  patient: PatientForm;
  /** The id of the patient in this EHR. */
  patientId: string | null;
  documentDate: string | null | undefined;
  /** Whether the chart can be read now. */
  isOpen: boolean;
  /** Orders belong to a visit. Answers a function that restores them. */
  dropOrders: () => () => void;
};

/** The visit of the patient to file under: the chosen one, else a proposed one until a person chooses none. */
export function useChartVisit({ connection, patient, patientId, documentDate, isOpen, dropOrders }: Parts) {
  const { draft, put } = patient;
  const meta = draft.integrationMeta;
  const can = Boolean(connection?.capabilities.includes('visitLookup'));
  const query = useQuery({
    ...visitsQuery(connection?.integrationId ?? '', patientId ?? ''),
    enabled: can && isOpen && Boolean(patientId),
    staleTime: 60_000,
    gcTime: 60_000,
  });
  const visits = query.data ?? [];
  /** The patient for whom no visit is wanted. */
  const [withoutFor, setWithoutFor] = useState<string | null>(null);
  const proposed = proposedVisit(visits, documentDate, isoDate(now()));
  const savedId = meta?.visitId || null;
  const saved = savedId ? (visits.find((v) => v.id === savedId) ?? null) : null;
  /** A visit that was typed or read, and is not from the chart. */
  const typed =
    !savedId && (draft.visitDate || draft.visitId) ? [showDate(draft.visitDate), draft.visitId].filter(Boolean).join(', ') : null;
  const isProposed = !savedId && !typed && proposed !== null && withoutFor !== patientId;
  const wantedId = savedId ?? (isProposed ? proposed.visit.id : null);
  /** Announces a change that replaces a visit, and offers to undo it. */
  const replace = (words: string, change: () => (() => void) | undefined) => {
    const restoreOrders = dropOrders();
    const restore = change();
    offerUndo(words, async () => {
      restore?.();
      restoreOrders();
    });
  };
  const choose = (visit: ChartVisit) => {
    if (visit.id === savedId) return;
    const change = () => put((current) => withVisit(current, visit));
    if (typed || (wantedId && wantedId !== visit.id)) replace('The visit was changed.', change);
    else change();
  };
  return {
    can: can && patientId !== null,
    visits,
    isLoading: query.isLoading,
    error: query.data ? null : query.error,
    reload: () => void query.refetch(),
    proposed,
    /** The id of the visit that is saved, and the visit if the chart still has it. */
    savedId,
    saved,
    /** The id of the visit that is selected, saved or proposed. */
    wantedId,
    typed,
    /** The proposed one is selected, and saved by filing. */
    isProposed,
    choose,
    /** Clears the visit and its orders. */
    clear: () => {
      if (!wantedId && !typed) return;
      replace('The visit was cleared.', () => {
        setWithoutFor(patientId);
        const restore = savedId || typed ? put(withoutVisit) : undefined;
        return () => {
          restore?.();
          setWithoutFor(withoutFor);
        };
      });
    },
    takeProposed: () => {
      if (isProposed) choose(proposed.visit);
    },
  };
}
export type VisitChoice = ReturnType<typeof useChartVisit>;
