import { expect, test } from 'vitest';
import { reason } from './useProposals';

test('a proposal says how often the same was chosen, and for which documents', () => {
  expect(reason({ basis: 'Sender', matching: 14, of: 15 })).toBe('14 of 15 documents from this sender');
  expect(reason({ basis: 'Word', word: 'echocardiogram', matching: 9, of: 9 })).toBe(
    '9 of 9 documents with “echocardiogram” in the subject',
  );
});
