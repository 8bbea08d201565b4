import { expect, test } from 'vitest';
import { fileError, pemOf } from './rules';

test('a PEM file is taken as it is, and a DER file becomes PEM with lines of 64', () => {
  const pem = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
  expect(pemOf(new TextEncoder().encode(pem))).toBe(pem);
  // Bytes that differ between Latin-1 and Windows-1252, which browsers decode instead.
  const der = Uint8Array.from({ length: 100 }, (_, i) => (i + 0x78) % 256);
  const lines = pemOf(der).split('\n');
  expect(lines[1]).toHaveLength(64);
  expect([...Buffer.from(lines.slice(1, -2).join(''), 'base64')]).toEqual([...der]);
});

test('an empty or a large file is refused before it is sent', () => {
  expect(fileError({ size: 0 })).not.toBeNull();
  expect(fileError({ size: 1_500 })).toBeNull();
  expect(fileError({ size: 1_000_000 })).not.toBeNull();
});
