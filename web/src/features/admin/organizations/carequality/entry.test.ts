import { expect, test } from 'vitest';
import type { Organization } from '@/api/types';
import { entityTypeOf, entryFields, inputOf, valuesOfNew } from './entry';
import { valuesOf } from '@/shared/form/fields';

test('an entry is a participant, belongs to one, or is a location of one', () => {
  expect(entityTypeOf({ responderType: 'DirectResponder', parentOrgId: '' })).toBe('Participant');
  expect(entityTypeOf({ responderType: 'GatewayMember', parentOrgId: '2.16.840.1' })).toBe('Sub-Participant');
  expect(entityTypeOf({ responderType: 'ChildLocation', parentOrgId: '2.16.840.1' })).toBe('Child');
});

test('a new entry has the home community ID of the organization as its OID (ADA-R-097)', () => {
  const organization = { name: 'Larkfield', allowedPurposeOfUseCodes: [] } as unknown as Organization;
  expect(valuesOfNew(organization, '2.16.840.1.113883.3.9999').organizationId).toBe('2.16.840.1.113883.3.9999');
  expect(valuesOfNew(organization).organizationId).toBe('');
});

test('Pass Through is kept where it was set (ADA-R-100)', () => {
  const { responderType } = entryFields;
  expect(responderType.show('passthrough')).toContain('Pass Through - For Directory Purposes');
  expect(inputOf(valuesOf(entryFields, { responderType: 'passthrough' })).responderType).toBe('passthrough');
});
