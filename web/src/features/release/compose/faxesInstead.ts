import { lookAddressesUp } from '../api';
import type { ComposeValues } from './model';

type Recipients = Pick<ComposeValues, 'to' | 'cc' | 'bcc'>;

/**
 * Recipients with fax numbers in place of undeliverable Direct addresses whose owners have one in the directory. Null if none is
 * replaced or the lookup fails: then sending reports the error.
 */
export async function faxesInstead({ to, cc, bcc }: Recipients): Promise<Recipients | null> {
  const direct = [...new Set([...to, ...cc, ...bcc])].filter((a) => a.includes('@'));
  const answer = direct.length ? await lookAddressesUp(direct).catch(() => []) : [];
  const numbers = new Map(answer.flatMap((a) => (a.isFound || !a.faxNumber ? [] : [[a.address, a.faxNumber] as const])));
  if (numbers.size === 0) return null;
  const replaced = (list: string[]) => [...new Set(list.map((a) => numbers.get(a) ?? a))];
  return { to: replaced(to), cc: replaced(cc), bcc: replaced(bcc) };
}
