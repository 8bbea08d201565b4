import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '@/api/client';
import type { Batch } from '@/api/types';
import { fileBatch } from './api';
import { errorsOf, type PartErrors } from './plan';
import type { Board } from './useBoard';

/** The changes could not be saved; the save shows why. */
class Unsaved extends Error {}

/** Files the documents, once each has a name and the changes are saved. */
export function useBatchFiling(batch: Batch, board: Board, onFiled: (batch: Batch) => void) {
  const { plan } = board;
  const [errors, setErrors] = useState<PartErrors>({});
  const filing = useMutation({
    mutationFn: async () => {
      const version = await board.flush();
      if (version === null) throw new Unsaved();
      return fileBatch(batch.id, version);
    },
    onSuccess: onFiled,
    onError: (error) => {
      setErrors(errorsOf(plan, (error instanceof ApiError && error.modelState) || {}).parts);
    },
  });
  const file = () => {
    const nameless = plan.parts.filter((p) => !p.name.trim());
    setErrors(Object.fromEntries(nameless.map((p) => [p.key, { name: 'Please enter a name.' }])));
    if (nameless.length > 0) document.querySelector<HTMLElement>(`[data-part="${nameless[0]!.key}"]`)?.focus();
    else if (plan.parts.length > 0 && !filing.isPending) filing.mutate();
  };
  return {
    file,
    isFiling: filing.isPending,
    /** Errors by document. */
    errors,
    /** A document was changed. */
    mended: (partKey: number) => {
      if (errors[partKey]) setErrors({});
    },
    /** The reason why the batch as a whole was not filed. */
    refusal: filing.error instanceof ApiError && Object.keys(errors).length === 0 ? filing.error.message : null,
  };
}
