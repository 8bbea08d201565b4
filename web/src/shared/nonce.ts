/** The server writes the page's nonce into a meta element; styles made at runtime carry it. */
export const styleNonce = () => document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
