import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '@/api/client';
import type { BulkAct, IntakeRequest, Refused } from '@/api/types';
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

/** Messages of one call. */
const AT_ONCE = 100;

type Bulk = { act: BulkAct; ids: string[]; acceptsGaps?: boolean; userId?: string | null };
export type BulkResult = { done: string[]; refused: Refused[] };

/** Does one thing with many messages. The server answers for each of them; what an unreachable server did not get is refused too. */
export async function bulk({ act, ids, acceptsGaps = false, userId }: Bulk): Promise<BulkResult> {
  const result: BulkResult = { done: [], refused: [] };
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const part = ids.slice(from, from + AT_ONCE);
    try {
      const answer = await unwrap(api.POST('/api/messages/bulk', { body: { act, ids: part, acceptsGaps, userId } }));
      result.done.push(...answer.done);
      result.refused.push(...answer.refused);
    } catch (error) {
      if (from === 0) throw error;
      const rest = ids.slice(from);
      const reasons = ['The server could not be reached. Please try again.'];
      return { done: result.done, refused: [...result.refused, ...rest.map((id) => ({ id, reasons, canBeConfirmed: false }))] };
    }
  }
  return result;
}

export function useBulk() {
  const client = useQueryClient();
  return useMutation({ mutationFn: bulk, onSettled: () => client.invalidateQueries({ queryKey: intakeKey }) });
}
