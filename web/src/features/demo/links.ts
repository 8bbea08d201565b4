export type EmailLink = { label: string; href: string };

/** The buttons of an e-mail, as its text names them: a line of words, a colon and an address of this installation. */
export function linksIn(text: string, origin: string): EmailLink[] {
  const lines = text.matchAll(/^(\S[^\n]*?): (https?:\/\/\S+)$/gm);
  return [...lines].map(([, label = '', href = '']) => ({ label, href })).filter((link) => new URL(link.href).origin === origin);
}
