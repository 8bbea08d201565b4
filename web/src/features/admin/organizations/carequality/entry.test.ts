import { expect, test } from 'vitest';
import { entityTypeOf } from './entry';

test('an entry is a participant, stands below one, or is a place of it', () => {
  expect(entityTypeOf({ responderType: 'DirectResponder', parentOrgId: '' })).toBe('Participant');
  expect(entityTypeOf({ responderType: 'GatewayMember', parentOrgId: '2.16.840.1' })).toBe('Sub-Participant');
  expect(entityTypeOf({ responderType: 'ChildLocation', parentOrgId: '2.16.840.1' })).toBe('Child');
});
