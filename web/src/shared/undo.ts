import { now } from './clock';
import { reportFailure, wordsOf } from './errors';
import { endOffer, type NoticeKind, notify } from './notify';

/** Time in which an act can be undone, in ms. */
const UNDO_MS = 10_000;

/** `told`: the result is already on the screen. */
type Outcome = 'told' | void;
type Offer = { words: string; run: () => Promise<Outcome>; until: number };
let latest: Offer | null = null;

/** Undoes the act and reports success, or the failure. */
async function undo() {
  const offer = latest;
  withdrawUndo();
  if (!offer || now().getTime() > offer.until) return notify('info', 'There is nothing to undo.');
  try {
    if ((await offer.run()) !== 'told') notify('info', 'Undone.');
  } catch (error) {
    reportFailure(error, `“${offer.words}” could not be undone. ${wordsOf(error)}`);
  }
}

/** Announces an act, and offers to undo it by the button or by `z`. */
export function offerUndo(words: string, run: () => Promise<Outcome>, kind: NoticeKind = 'success') {
  latest = { words, run, until: now().getTime() + UNDO_MS };
  notify(kind, words, { action: { label: 'Undo', run: () => void undo(), key: 'z' }, closeAfter: UNDO_MS });
}

/** Withdraws the offered undo. */
export const withdrawUndo = () => {
  latest = null;
  endOffer();
};

export const undoShortcut = { keys: 'z', label: 'Undo', run: () => void undo() };
