import { expect, test } from 'vitest';
import type { RunAttempt, RunStep } from '@/api/types';
import { canRetry, formatSpan, formatUtc, timelineOf, workflowTypeOf } from './rules';
import { runsSearch } from './search';

test('what is received has a receiving workflow, anything else a sending one (ADB-R-168, ADB-R-169)', () => {
  for (const origin of ['Surescripts', 'Kno2ToKno2', 'Fax', 'Navihealth']) expect(workflowTypeOf(origin)).toBe('MessageReceiveWorkflow');
  for (const origin of ['Release', 'Elsewhere', '']) expect(workflowTypeOf(origin)).toBe('MessageSendWorkflow');
});

test('only a completed step cannot be run again', () => {
  expect(canRetry({ status: 'Completed' })).toBe(false);
  for (const status of ['Blocked', 'Pending', 'Running', 'Retrying', 'Failed', 'Skipped'] as const) expect(canRetry({ status })).toBe(true);
});

test('times are told in UTC (ADB-R-167)', () => {
  expect(formatUtc('2026-11-09T23:46:02.118-05:00')).toBe('Nov 10, 04:46:02');
  expect(formatUtc(null)).toBe('');
});

test('spans are told as people say them', () => {
  expect(['00:00:00.046', '00:00:01.330', '00:01:41.000', '26:03:00.000', ''].map(formatSpan)).toEqual([
    '46 ms',
    '1.3 s',
    '1 min 41 s',
    '26 h 3 min',
    '',
  ]);
});

test('attempts lie on one line of time', () => {
  const attempt = (startTime: string, endTime: string) =>
    ({ startTime: `2026-11-09T10:00:${startTime}Z`, endTime: `2026-11-09T10:00:${endTime}Z` }) as RunAttempt;
  const step = (id: string, ...attempts: RunAttempt[]) => ({ id, attempts }) as RunStep;
  const bars = timelineOf([step('a', attempt('00', '05')), step('b', attempt('05', '05'), attempt('10', '10'))]);
  expect(bars.get('a')).toMatchObject([{ from: 0, width: 50 }]);
  expect(bars.get('b')).toMatchObject([
    { from: 50, width: 1 },
    { from: 99, width: 1 },
  ]);
});

test('a link may call the page size pageSize (ADB-R-186)', () => {
  expect(runsSearch({ pageSize: '50', status: 'Failed', type: 'intake', channel: 'Fax' })).toMatchObject({
    size: 50,
    status: 'Failed',
    type: 'intake',
    channel: 'Fax',
  });
});
