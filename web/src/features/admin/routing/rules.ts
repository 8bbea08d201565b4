import type {
  RoutingConvertFormat,
  RoutingLocationCode,
  RoutingOutcome,
  RoutingRule,
  RoutingSecurityType,
  RoutingStepType,
} from '@/api/types';

type Choices<V> = readonly { value: V; label: string }[];

export const STEP_TYPES: Choices<RoutingStepType> = [
  { value: 'SendAsHL7Step', label: 'HL7 over MLLP' },
  { value: 'SendToKeyhieStep', label: 'KeyHIE (ITI-41)' },
  { value: 'SendAsIti41Step', label: 'ITI-41' },
  { value: 'SendAsXdrStep', label: 'XDR' },
  { value: 'SendAsXdrMinimalStep', label: 'XDR, minimal metadata' },
  { value: 'SendToWebServiceStep', label: 'Web service' },
  { value: 'SendToJsonWebServiceStep', label: 'Web service (JSON)' },
  { value: 'SendAsHL7OverVpnStep', label: 'HL7 over MLLP, VPN' },
  { value: 'SendToKeyhieOverVpnStep', label: 'KeyHIE (ITI-41), VPN' },
  { value: 'SendAsIti41OverVpnStep', label: 'ITI-41, VPN' },
  { value: 'SendAsXdrOverVpnStep', label: 'XDR, VPN' },
  { value: 'SendToWebServiceOverVpnStep', label: 'Web service, VPN' },
  { value: 'SendToJsonWebServiceOverVpnStep', label: 'Web service (JSON), VPN' },
];

export const SECURITY_TYPES: Choices<RoutingSecurityType> = [
  { value: 'Certificate', label: 'Certificate' },
  { value: 'MutualTLS', label: 'Mutual TLS' },
  { value: 'SAML', label: 'SAML' },
  { value: 'None', label: 'None (VPN only)' },
];

export const FORMATS: Choices<RoutingConvertFormat> = [
  { value: 'CDA', label: 'CDA' },
  { value: 'MDM', label: 'MDM' },
  { value: 'ORU', label: 'ORU' },
];

export const LOCATIONS: Choices<RoutingLocationCode> = [
  { value: 'rrh', label: 'rrh' },
  { value: 'smh', label: 'smh' },
];

export const labelOf = <V extends string>(choices: Choices<V>, value: V | null | undefined) =>
  choices.find((c) => c.value === value)?.label ?? '';

const SHOWN_CHARACTERS = 17;

/** A KeyHIE address in a narrow column. */
export const shortened = (text: string) => (text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text);

/** The number of organizations that send through a rule. */
export const sendersOf = ({ senders }: Pick<RoutingRule, 'senders'>) => (senders.length === 0 ? 'None' : String(senders.length));

export const whereIs = ({ ipAddress, port }: { ipAddress: string; port: string }) => (port ? `${ipAddress}, port ${port}` : ipAddress);

/** A port is a number from 1 to 65535; empty means the default. */
export const portError = (port: string) =>
  /^\d+$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535 ? null : 'Please enter a port from 1 to 65535.';

/** The meaning of an endpoint's answer, with its state. */
export const OUTCOMES: Record<RoutingOutcome, { state: string; label: string }> = {
  Accepted: { state: 'Delivered', label: 'Accepted' },
  Refused: { state: 'Failed', label: 'Refused' },
  NotReached: { state: 'Failed', label: 'Not reached' },
  NoAnswer: { state: 'Uncertain', label: 'No answer' },
};
