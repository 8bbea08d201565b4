/** Maximum size of a certificate file. */
const MAX_BYTES = 64 * 1024;

/** The text of a certificate file: PEM as it is, anything else (DER) as PEM. The server checks the content. */
export function pemOf(bytes: Uint8Array): string {
  // Not `TextDecoder('latin1')`, which is Windows-1252.
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  if (text.includes('-----BEGIN')) return text;
  const lines = btoa(text).match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

/** Error of a chosen file. */
export const fileError = (file: { size: number }): string | null =>
  file.size === 0 || file.size > MAX_BYTES ? 'Please choose the file of one certificate.' : null;
