import { useMutation, useQueryClient } from '@tanstack/react-query';
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

/** Runs an action on several messages; failures are reported together. */
async function each(ids: string[], act: (id: string) => Promise<unknown>) {
  const waiting = [...ids];
  const failures: unknown[] = [];
  const work = async () => {
    for (let id = waiting.shift(); id; id = waiting.shift()) await act(id).catch((error: unknown) => failures.push(error));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  if (failures.length > 0 && failures.length === ids.length) throw failures[0];
  return { done: ids.length - failures.length, failed: failures.length };
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
