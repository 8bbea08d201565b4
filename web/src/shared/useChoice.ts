import type { UseMutationResult } from '@tanstack/react-query';
import { useState } from 'react';

/**
 * A choice that is saved as it is made: it shows at once until the mutation has settled, then the saved value shows again. A
 * mutation reports that it runs only after a tick, in which the control would flip back.
 */
export function useChoice<V>(saved: V, save: UseMutationResult<unknown, Error, V>) {
  const [chosen, setChosen] = useState<{ value: V }>();
  return {
    shown: chosen ? chosen.value : saved,
    isSaving: chosen !== undefined,
    // Only the latest of several calls settles here.
    choose: (value: V) => {
      setChosen({ value });
      save.mutate(value, { onSettled: () => setChosen(undefined) });
    },
  };
}
