/** What was not done, and why. */
export type Refusal = { id: string; reasons: string[]; canBeConfirmed: boolean; subject?: string; patientName?: string };
export type BulkResult = { done: string[]; refused: Refusal[] };

/** Rows of one call. */
const AT_ONCE = 100;
const UNREACHED = 'The server could not be reached. Please try again.';

/**
 * Does one thing with many rows, some at a time. The server answers for each of them; what it did not get, once it had
 * answered before, is refused too.
 */
export async function bulk(ids: string[], send: (part: string[]) => Promise<BulkResult>): Promise<BulkResult> {
  const result: BulkResult = { done: [], refused: [] };
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    try {
      const answer = await send(ids.slice(from, from + AT_ONCE));
      result.done.push(...answer.done);
      result.refused.push(...answer.refused);
    } catch (error) {
      if (from === 0) throw error;
      result.refused.push(...ids.slice(from).map((id) => ({ id, reasons: [UNREACHED], canBeConfirmed: false })));
      break;
    }
  }
  return result;
}
