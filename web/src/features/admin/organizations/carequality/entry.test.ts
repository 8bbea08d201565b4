import { expect, test } from 'vitest';
import { entityTypeOf } from './entry';

test('an entry is a participant, belongs to one, or is a location of one', () => {
  expect(entityTypeOf({ responderType: 'DirectResponder', parentOrgId: '' })).toBe('Participant');
  expect(entityTypeOf({ responderType: 'GatewayMember', parentOrgId: '2.16.840.1' })).toBe('Sub-Participant');
  expect(entityTypeOf({ responderType: 'ChildLocation', parentOrgId: '2.16.840.1' })).toBe('Child');
});
