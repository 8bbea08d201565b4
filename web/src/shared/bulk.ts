/** A refused row, with the reason. */
export type Refusal = { id: string; reasons: string[]; canBeConfirmed: boolean; subject?: string; patientName?: string };
export type BulkResult = { done: string[]; refused: Refusal[] };

/** Maximum number of rows per call. */
const AT_ONCE = 100;
const UNREACHED = 'The server could not be reached. Please try again.';

/**
 * Performs one act on many rows, in several calls. The server answers for each row; if a later call fails, its rows count as
 * refused.
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
