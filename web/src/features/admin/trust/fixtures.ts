import type { TrustAuthority } from '@/api/types';

/** The authority of an installation, for tests. */
export const own: TrustAuthority = {
  name: 'Built-in',
  subject: 'CN=Carepost Direct CA clinic.example, O=Carepost',
  fingerprint: 'abcdef',
  notBefore: '2026-11-20T10:00:00Z',
  notAfter: '2046-11-15T10:00:00Z',
  certificate: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
  revocationList: 'https://care.clinic.example/crl/1.crl',
  directDomain: 'direct.clinic.example',
  mailServer: 'mail.clinic.example',
  answersDns: false,
  addresses: ['records@larkfield.direct.clinic.example', 'records@summit.direct.clinic.example'],
};
