import { expect, test } from 'vitest';
import { own } from './fixtures';
import { fingerprintOf, partnerText } from './partners';

test('a fingerprint is written as other programs write it', () => {
  expect(fingerprintOf('00ff1a')).toBe('00:FF:1A');
  expect(fingerprintOf('')).toBe('');
});

test('a partner is told the anchor, the domains, where to look, and where to write', () => {
  const text = partnerText(own, 'records@larkfield.direct.clinic.example');
  for (const words of [
    'CN=Carepost Direct CA clinic.example',
    'Valid: 2026-11-20 to 2046-11-15',
    'AB:CD:EF',
    '-----BEGIN CERTIFICATE-----',
    'below direct.clinic.example.',
    'mail.clinic.example',
    'https://care.clinic.example/crl/1.crl',
    'test message to records@larkfield.direct.clinic.example',
  ])
    expect(text).toContain(words);
  expect(text).not.toContain('answers DNS');
});

test('what is not so is not said', () => {
  const text = partnerText({ ...own, answersDns: true }, '');
  expect(text).toContain('mail.clinic.example answers DNS for these domains.');
  expect(text).not.toContain('Test');
});
