import { expect, test } from 'vitest';
import type { InboundConnection, InterfaceRefusal } from '@/api/types';
import { organizationOf, refusedOf, senderOf } from './words';

const connection = {
  sendingFacility: 'NORTH',
  sendingApplication: '',
  receivingFacility: 'LARK',
  networks: ['10.2.0.0/16'],
  certificate: 'ab'.repeat(32),
  organizationId: null,
} as unknown as InboundConnection;

test('a connection says by what its sender is known', () => {
  expect(senderOf(connection)).toBe('NORTH · to LARK · 10.2.0.0/16 · certificate abababab…');
  const signed = { ...connection, networks: [], certificate: '', assertionCertificate: 'cd'.repeat(32) };
  expect(senderOf(signed)).toBe('NORTH · to LARK · assertions of cdcdcdcd…');
  expect(senderOf({ ...signed, looseAssertions: true })).toBe('NORTH · to LARK · loose assertions of cdcdcdcd…');
  expect(organizationOf(connection)).toBe('By address');
  expect(organizationOf({ ...connection, organizationId: '7', organizationName: 'Larkfield' })).toBe('Larkfield');
});

test('a refused sender goes by the name of its connection, or by what it calls itself', () => {
  const refusal = { connectionName: null, sendingFacility: 'SOUTH', sendingApplication: 'LAB' } as InterfaceRefusal;
  expect(refusedOf(refusal)).toBe('SOUTH / LAB');
  expect(refusedOf({ ...refusal, connectionName: 'Northgate' })).toBe('Northgate');
  expect(refusedOf({ ...refusal, sendingFacility: '', sendingApplication: '' })).toBe('Unknown sender');
});
