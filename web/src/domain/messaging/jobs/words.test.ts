import { expect, test } from 'vitest';
import type { BulkJob } from '@/api/types';
import { jobShare, jobWords } from './words';

const job: BulkJob = {
  id: 'a',
  act: 'process',
  state: 'Running',
  total: 10_000,
  isCounted: true,
  done: 2_498,
  refused: 2,
  createdOn: '2026-11-20T10:00:00Z',
};

test('a job says how far it is, and at its end what it did', () => {
  expect(jobWords({ ...job, isCounted: false, total: 300, done: 0, refused: 0 })).toBe('Finding the messages: 300 so far');
  expect(jobWords(job)).toBe('2,498 of 10,000 messages filed, 2 refused');
  expect(jobShare(job)).toBe(25);
  expect(jobWords({ ...job, state: 'Done', done: 1, refused: 0 })).toBe('1 message filed.');
  expect(jobWords({ ...job, state: 'Stopped' })).toBe('Stopped: 2,498 messages filed, 2 refused');
});
