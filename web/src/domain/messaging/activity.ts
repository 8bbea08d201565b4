type Entry = { eventType: string; what: string };

/** `SignedIn` as `Signed in`. */
export const actWords = (type: string) => type.replace(/(?<=[a-z])[A-Z]/g, (c) => ` ${c.toLowerCase()}`);

const FOLDED = new Set(['Viewed', 'Listed', 'Searched', 'Downloaded']);

/** Repeated looks at the same thing in a row as one entry, the newest, with their number. */
export function foldRepeats<T extends Entry>(entries: readonly T[], subject: (entry: T) => string): { entry: T; times: number }[] {
  const folded: { entry: T; times: number }[] = [];
  for (const entry of entries) {
    const last = folded.at(-1);
    const isSame =
      last &&
      FOLDED.has(entry.eventType) &&
      last.entry.eventType === entry.eventType &&
      last.entry.what === entry.what &&
      subject(last.entry) === subject(entry);
    if (isSame) last.times++;
    else folded.push({ entry, times: 1 });
  }
  return folded;
}
