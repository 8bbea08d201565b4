import { describe, expect, it } from 'vitest';
import { FORMATS, labelOf, LOCATIONS, portError, SECURITY_TYPES, sendersOf, shortened, STEP_TYPES } from './rules';

describe('routing rules', () => {
  it('show a KeyHIE address of more than 17 characters cut off (ADB-R-088)', () => {
    expect(shortened('12345678901234567')).toBe('12345678901234567');
    expect(shortened('123456789012345678')).toBe('12345678901234567…');
  });

  it('say None when no organization sends through them (ADB-R-090)', () => {
    expect(sendersOf({ senders: [] })).toBe('None');
    expect(sendersOf({ senders: [{} as never, {} as never] })).toBe('2');
  });

  it('offer every step type, security model, format and location (ADB-R-102, ADB-R-103, ADB-R-104, ADB-R-105)', () => {
    expect(STEP_TYPES).toHaveLength(13);
    expect(STEP_TYPES.slice(0, 2).map((s) => s.value)).toEqual(['SendAsHL7Step', 'SendToKeyhieStep']);
    expect(SECURITY_TYPES.map((s) => s.value)).toEqual(['Certificate', 'MutualTLS', 'SAML', 'None']);
    expect(FORMATS.map((f) => f.value)).toEqual(['CDA', 'MDM', 'ORU']);
    expect(LOCATIONS.map((l) => l.value)).toEqual(['rrh', 'smh']);
    expect(labelOf(FORMATS, null)).toBe('');
  });

  it('have endpoints with a port of at most 65535 (ADB-R-120)', () => {
    expect(portError('2575')).toBeNull();
    for (const wrong of ['0', '65536', 'x', '-1']) expect(portError(wrong)).not.toBeNull();
  });
});
