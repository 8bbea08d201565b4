/** A larger file is no certificate. */
const MAX_BYTES = 64 * 1024;

/** The text of a certificate file: PEM as it is, anything else (DER) as PEM. The server says what is no certificate. */
export function pemOf(bytes: Uint8Array): string {
  // Not `TextDecoder('latin1')`, which is Windows-1252.
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  if (text.includes('-----BEGIN')) return text;
  const lines = btoa(text).match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

/** What is wrong with a file that was chosen. */
export const fileError = (file: { size: number }): string | null =>
  file.size === 0 || file.size > MAX_BYTES ? 'Please choose the file of one certificate.' : null;
