const escapeHtml = (s: string) => s.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
const escapeRegExp = (s: string) => s.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The text of a page's text layer as HTML, with the words marked. */
export function markMatches(text: string, words: string): string {
  if (!words) return escapeHtml(text);
  return text
    .split(new RegExp(`(${escapeRegExp(words)})`, 'gi'))
    .map((part, i) => (i % 2 ? `<mark>${escapeHtml(part)}</mark>` : escapeHtml(part)))
    .join('');
}

export const countMatches = (texts: string[], words: string) =>
  texts.reduce((sum, t) => sum + (t.match(new RegExp(escapeRegExp(words), 'gi'))?.length ?? 0), 0);
