import { expect, test } from 'vitest';
import { statusName } from './rules';

test('statuses have names (ADB-R-164, ADB-R-165, ADB-T-035, ADB-T-036, ADB-T-037, ADB-T-038, ADB-T-039, ADB-T-040, ADB-T-041, ADB-T-042, ADB-T-043, ADB-T-044, ADB-T-045, ADB-T-046, ADB-T-047, ADB-T-048)', () => {
  const names = Array.from({ length: 13 }, (_, status) => statusName(status, false));
  expect(names.join(' ')).toBe(
    'Sent Received Pending Signed Suspended Deleted Removed Forwarded Replied Processed Uploaded Triaged Failed',
  );
  expect(statusName(0, true)).toBe('Saved');
  expect(statusName(12, true)).toBe('Failed');
  expect(statusName(13, false)).toBe('13');
});
