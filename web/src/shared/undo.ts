import { now } from './clock';
import { reportFailure, wordsOf } from './errors';
import { endOffer, type NoticeKind, notify } from './notify';

/** How long an act can be taken back, in ms. */
const UNDO_MS = 10_000;

/** `told`: what became of it is on the screen already. */
type Outcome = 'told' | void;
type Offer = { words: string; run: () => Promise<Outcome>; until: number };
let latest: Offer | null = null;

/** Says that it is taken back once the server has done so, or what could not be undone. */
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

/** Says what was done, and offers to take it back by the button or by `z`. */
export function offerUndo(words: string, run: () => Promise<Outcome>, kind: NoticeKind = 'success') {
  latest = { words, run, until: now().getTime() + UNDO_MS };
  notify(kind, words, { action: { label: 'Undo', run: () => void undo(), key: 'z' }, closeAfter: UNDO_MS });
}

/** What was offered cannot be taken back any more. */
export const withdrawUndo = () => {
  latest = null;
  endOffer();
};

export const undoShortcut = { keys: 'z', label: 'Undo', run: () => void undo() };
