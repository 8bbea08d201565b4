import type { TrustAuthority } from '@/api/types';

/** A fingerprint as other programs show it, to be compared letter by letter. */
export const fingerprintOf = (hex: string) => (hex.toUpperCase().match(/../g) ?? []).join(':');

/** A time as its day in UTC, the same in every time zone. */
const dayOf = (iso: string) => iso.slice(0, 10);

/** The details that a partner needs to exchange mail, as plain text. Without a test address, the test is omitted. */
export function partnerText(own: TrustAuthority, testAddress: string): string {
  const parts = [
    [
      'Trust anchor',
      'Trust this certificate as an anchor. Before that, compare its fingerprint with us by telephone.',
      '',
      `Subject: ${own.subject}`,
      `Valid: ${dayOf(own.notBefore)} to ${dayOf(own.notAfter)} (UTC)`,
      `SHA-256 fingerprint: ${fingerprintOf(own.fingerprint)}`,
      '',
      own.certificate.trim(),
    ],
    ['Direct domains', `Each of our organizations has a domain of its own below ${own.directDomain}.`],
    [
      'Certificates and mail servers',
      'Our certificates are bound to domains. Each is found in DNS, as the CERT record of its domain. There is none in LDAP.',
      `Mail goes to ${own.mailServer}, which the MX record of each domain names.`,
      ...(own.answersDns ? [`${own.mailServer} answers DNS for these domains.`] : []),
    ],
    ['Revoked certificates', `The list is fetched at ${own.revocationList}`],
    ...(testAddress ? [['Test', `Please send a test message to ${testAddress}, and tell us an address of yours for one.`]] : []),
  ];
  return `${parts.map(([title, ...lines]) => [title, '-'.repeat(title!.length), ...lines].join('\n')).join('\n\n')}\n`;
}
