import { expect, test } from 'vitest';
import type { SyncResult } from '@/api/types';
import { summaryOf } from './ImportDialog';

const result = (oid: string, outcome: SyncResult['outcome']): SyncResult => ({ oid, outcome, displayName: '', entry: null });

test('an import says what it did and what it could not do', () => {
  const results = [result('1.1', 'Added'), result('1.2', 'Added'), result('1.3', 'Updated'), result('1.4', 'NotFound')];
  expect(summaryOf(results)).toBe('2 entries added, 1 entry updated. Not in the directory: 1.4.');
  expect(summaryOf([result('1.1', 'Unchanged')])).toBe('1 entry unchanged.');
  expect(summaryOf([result('1.1', 'NotFound')])).toBe('No entry was imported. Not in the directory: 1.1.');
});
