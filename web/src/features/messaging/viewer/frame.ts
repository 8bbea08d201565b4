/**
 * Makes a page for a sandboxed frame. The frame inherits our content security policy, which allows only styles with
 * the page's nonce: style elements get it, style attributes become rules.
 */
export function frameDocument(html: string, nonce: string, extraCss = ''): string {
  const doc = new DOMParser().parseFromString(html, 'text/html');
  const rules = new Map<string, number>();
  for (const element of doc.querySelectorAll('[style]')) {
    const style = element.getAttribute('style')!;
    if (!rules.has(style)) rules.set(style, rules.size);
    element.setAttribute('data-style', String(rules.get(style)));
    element.removeAttribute('style');
  }
  const own = doc.createElement('style');
  own.textContent = `${[...rules].map(([style, i]) => `[data-style="${i}"]{${style}}`).join('\n')}\n${extraCss}`;
  doc.head.append(own);
  for (const style of doc.querySelectorAll('style')) style.setAttribute('nonce', nonce);
  // Nothing in a document may lead away from it.
  for (const link of doc.querySelectorAll('base, meta[http-equiv]')) link.remove();
  return `<!doctype html>${doc.documentElement.outerHTML}`;
}
