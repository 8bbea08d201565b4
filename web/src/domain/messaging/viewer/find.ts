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

/** The place of a match in a page that `markHits` made. */
export const hitId = (n: number) => `cp-hit-${n}`;

/** A tag with its attributes, a comment or a style sheet: excluded from the search. */
const NO_TEXT = /(<!--[\s\S]*?-->|<style\b[\s\S]*?<\/style>|<[^>]*>)/i;

/** Character references as the server writes them. */
const WRITTEN: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** An HTML page with each match in its body as an element of its own, and how many there are. Works on the text, as `frameDocument` does. */
export function markHits(html: string, words: string, tag: 'mark' | 'span'): { html: string; count: number } {
  if (!words) return { html, count: 0 };
  const body = Math.max(html.search(/<body\b/i), 0);
  const written = words.replace(/[&<>"']/g, (c) => WRITTEN[c]!);
  // A character reference is one character: "amp" is not in "&amp;".
  const wanted = new RegExp(`(${escapeRegExp(written).replace(/\s+/g, '\\s+')})|&#?\\w+;`, 'gi');
  let count = 0;
  const mark = (all: string, match?: string) => (match ? `<${tag} id="${hitId(count++)}">${match}</${tag}>` : all);
  const parts = html.slice(body).split(NO_TEXT);
  return { html: html.slice(0, body) + parts.map((part, i) => (i % 2 ? part : part.replace(wanted, mark))).join(''), count };
}

export const countMatches = (texts: string[], words: string) =>
  texts.reduce((sum, t) => sum + (t.match(new RegExp(escapeRegExp(words), 'gi'))?.length ?? 0), 0);
