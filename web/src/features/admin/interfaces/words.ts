import type { InboundConnection, InboundConnectionKind, InterfaceRefusal } from '@/api/types';

export const KINDS = [
  { value: 'Mllp', label: 'HL7 v2 over MLLP' },
  { value: 'Xdr', label: 'ITI-41 and XDR' },
  { value: 'Folder', label: 'HL7 v2 in a folder' },
] as const satisfies readonly { value: InboundConnectionKind; label: string }[];

export const kindOf = (kind: InboundConnectionKind) => KINDS.find((k) => k.value === kind)?.label ?? kind;

/** Identification of the sender: names in messages, networks, a certificate. */
export const senderOf = (c: InboundConnection) =>
  [
    c.sendingFacility,
    c.sendingApplication,
    c.receivingFacility && `to ${c.receivingFacility}`,
    ...c.networks,
    c.assertionCertificate && `${c.looseAssertions ? 'loose assertions' : 'assertions'} of ${c.assertionCertificate.slice(0, 8)}…`,
    c.certificate && `certificate ${c.certificate.slice(0, 8)}…`,
  ]
    .filter(Boolean)
    .join(' · ');

export const organizationOf = (c: InboundConnection) => (c.organizationId ? (c.organizationName ?? c.organizationId) : 'By address');

/** The refused sender, as far as known. */
export const refusedOf = (r: InterfaceRefusal) =>
  r.connectionName ?? ([r.sendingFacility, r.sendingApplication].filter(Boolean).join(' / ') || 'Unknown sender');
