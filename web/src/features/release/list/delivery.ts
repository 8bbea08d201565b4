import type { DeliveryCounts, ReleaseItem } from '@/api/types';

export type DeliveryPart = { state: string; count: number; word: string };

/** The recipients' delivery states, the worst first. */
export function deliveryParts(d: DeliveryCounts | null | undefined): DeliveryPart[] {
  if (!d) return [];
  const parts: DeliveryPart[] = [
    { state: 'Failed', count: d.failed, word: 'failed' },
    { state: 'Uncertain', count: d.uncertain, word: 'uncertain' },
    { state: 'Waiting', count: d.sent + d.processed, word: 'waiting' },
    { state: 'Sending', count: d.queued, word: 'sending' },
    { state: 'Delivered', count: d.delivered, word: 'delivered' },
    { state: 'Corrected', count: d.corrected, word: 'corrected' },
  ];
  return parts.filter((p) => p.count > 0);
}

/** The state of the row: a draft, or the summary of its recipients. */
export function rowState(item: ReleaseItem): string {
  if (item.isDraft) return 'Saved';
  const parts = deliveryParts(item.delivery);
  const [worst] = parts;
  if (!worst) return item.status;
  if (worst.state === 'Failed' && parts.length > 1) return 'Partly failed';
  return worst.state === 'Waiting' || worst.state === 'Sending' ? 'Sending' : worst.state;
}

/** New values for the rows in view; added and removed rows wait, so that nothing moves under the pointer. */
export const mergeRows = (shown: ReleaseItem[], fresh: ReleaseItem[]) => shown.map((row) => fresh.find((f) => f.id === row.id) ?? row);

/** The number of new rows that are not in view. */
export const newRows = (shown: ReleaseItem[], fresh: ReleaseItem[]) => fresh.filter((f) => !shown.some((row) => row.id === f.id)).length;
