import { createElement, Fragment, type ReactNode, useMemo } from 'react';

/** Allowed elements of a text; for others only their text is shown. */
const TAGS = new Set(['h2', 'h3', 'p', 'ul', 'ol', 'li', 'b', 'strong', 'i', 'em', 'br']);

function elementsOf(node: Node): ReactNode[] {
  return [...node.childNodes].map((child, i) => {
    if (child.nodeType === Node.TEXT_NODE) return child.textContent;
    if (!(child instanceof Element)) return null;
    const tag = child.tagName.toLowerCase();
    if (tag === 'script' || tag === 'style') return null;
    const inner = elementsOf(child);
    if (!TAGS.has(tag)) return <Fragment key={String(i)}>{inner}</Fragment>;
    return createElement(tag, { key: String(i) }, ...(tag === 'br' ? [] : inner));
  });
}

/** A text with headings and lists from the server, built of our own elements: nothing in it runs or leads away. */
export function SafeHtml({ html }: { html: string }) {
  return useMemo(() => elementsOf(new DOMParser().parseFromString(html, 'text/html').body), [html]);
}
