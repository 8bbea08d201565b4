import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError } from '@/api/client';
import { assignMessage } from '@/domain/messaging/api';
import type { IntakeRequest } from '@/api/types';
import { fetchIntake, intakeKey } from '@/domain/messaging/intakeList';

/** The maximum number of messages of one action. */
export const SELECT_LIMIT = 1000;
const LARGEST_PAGE = 100;

/** All messages that match the list's filters, in its order, up to the limit. */
export async function idsOfList(body: IntakeRequest, optimized: boolean): Promise<string[]> {
  const ids: string[] = [];
  for (let page = 1; ids.length < SELECT_LIMIT; page++) {
    const { items } = await fetchIntake({ ...body, cursor: undefined, pageStart: page, pageSize: LARGEST_PAGE }, optimized);
    ids.push(...items.map((m) => m.id));
    if (items.length < LARGEST_PAGE) break;
  }
  return ids.slice(0, SELECT_LIMIT);
}

/** Concurrent calls; more would keep others waiting. */
const AT_ONCE = 6;

/** Whether the server asks for a confirmation because a patient or document type is missing. */
const asksFirst = (error: unknown) => error instanceof ApiError && 'acceptsGaps' in error.modelState;

/** Runs an action on several messages; reports failures together, and which messages need a question first. */
async function each(ids: string[], act: (id: string) => Promise<unknown>) {
  const waiting = [...ids];
  const done: string[] = [];
  const asking: string[] = [];
  const failures: unknown[] = [];
  const work = async () => {
    for (let id = waiting.shift(); id; id = waiting.shift()) {
      const current = id;
      await act(current).then(
        () => done.push(current),
        (error: unknown) => (asksFirst(error) ? asking.push(current) : failures.push(error)),
      );
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  if (failures.length > 0 && failures.length === ids.length) throw failures[0];
  return { done, asking, failed: failures.length };
}

export function useBulk(act: (id: string) => Promise<unknown>) {
  const client = useQueryClient();
  return useMutation({ mutationFn: (ids: string[]) => each(ids, act), onSettled: () => client.invalidateQueries({ queryKey: intakeKey }) });
}

export function useBulkAssign() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ ids, to }: { ids: string[]; to: string | null }) => each(ids, (id) => assignMessage(id, to)),
    onSettled: () => client.invalidateQueries({ queryKey: intakeKey }),
  });
}
