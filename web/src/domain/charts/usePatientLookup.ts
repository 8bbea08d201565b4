import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { ChartConnection, Patient } from '@/api/types';
import { useDebouncedCall } from '@/shared/debounce';
import { patientsQuery } from './api';
import { carryOver, type Criteria, criteriaErrors, criteriaOf, DELAYS, lacking, searchOf, type Variant } from './search';

/** A search for patients in the chart, which follows the fields after a pause. */
export function usePatientLookup(connection: ChartConnection, current: Patient, start: Variant) {
  const [variant, setVariant] = useState(start);
  const [criteria, setCriteria] = useState(() => criteriaOf(current));
  // Includes changes by handlers of the same event: a date is taken when Enter is pressed.
  const latest = useRef(criteria);
  /** What is searched for: the fields of a moment ago. */
  const [asked, setAsked] = useState(criteria);
  const [later, cancel] = useDebouncedCall(setAsked, DELAYS[variant]);
  const errors = criteriaErrors(asked, variant);
  const lack = lacking(asked, variant, connection);
  const canAsk = !lack && Object.keys(errors).length === 0;
  const query = useQuery({
    ...patientsQuery(searchOf(asked, variant, connection.integrationId)),
    enabled: canAsk,
    placeholderData: keepPreviousData,
  });

  const write = (next: Criteria) => {
    latest.current = next;
    setCriteria(next);
  };
  const search = (next: Criteria) => {
    cancel();
    write(next);
    setAsked(next);
  };
  return {
    variant,
    criteria,
    set: (part: Partial<Criteria>) => {
      write({ ...latest.current, ...part });
      later(latest.current);
    },
    /** Without a pause. */
    searchNow: () => search(latest.current),
    written: () => latest.current,
    switchTo: (to: Variant) => {
      search(carryOver(latest.current, to));
      setVariant(to);
    },
    errors,
    lack,
    canAsk,
    query,
    found: canAsk ? query.data : undefined,
    /** Nobody is chosen from results of other criteria: it could be the wrong patient. */
    isSettled: asked === criteria && !query.isFetching && !query.isPlaceholderData,
  };
}

export type PatientLookup = ReturnType<typeof usePatientLookup>;
