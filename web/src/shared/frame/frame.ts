/**
 * Makes a page for a sandboxed frame. The frame inherits our content security policy, which allows only styles with
 * the page's nonce: style elements get it, style attributes become rules. Works on the text, because a parsed
 * document would be checked against the policy before it could be changed.
 */
export function frameDocument(html: string, nonce: string, extraCss = ''): string {
  const rules = new Map<string, number>();
  const tagged = html
    // Links in a document must not lead away from it.
    .replace(/<(base|meta\s[^>]*http-equiv)\b[^>]*>/gi, '')
    .replace(/<[a-z][^>]*>/gi, (tag) =>
      tag
        .replace(/\sstyle\s*=\s*("[^"]*"|'[^']*')/gi, (_, quoted: string) => {
          const style = quoted.slice(1, -1);
          if (!rules.has(style)) rules.set(style, rules.size);
          return ` data-style="${rules.get(style)}"`;
        })
        .replace(/^<style\b/i, `<style nonce="${nonce}"`),
    );
  const css = [...rules].map(([style, i]) => `[data-style="${i}"]{${style}}`).join('\n');
  const own = `<style nonce="${nonce}">${`${css}\n${extraCss}`.replace(/</g, '')}</style>`;
  return /<\/head>/i.test(tagged)
    ? tagged.replace(/<\/head>/i, `${own}</head>`)
    : `<!doctype html><html lang="en"><head><meta charset="utf-8">${own}</head><body>${tagged}</body></html>`;
}
