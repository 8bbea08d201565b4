import { expect, test } from 'vitest';
import { typedWake, usualWakes } from './snooze';

// A Friday.
const today = new Date(2026, 10, 20, 14, 30);

test('the usual times begin in the morning', () => {
  const wakes = usualWakes(today).map((w) => w.at);
  expect(wakes).toEqual([new Date(2026, 10, 20, 17, 30), new Date(2026, 10, 21, 8), new Date(2026, 10, 23, 8), new Date(2026, 10, 27, 8)]);
  expect(usualWakes(new Date(2026, 10, 23, 7))[2]!.at, 'on a Monday it is the next one').toEqual(new Date(2026, 10, 30, 8));
});

test('no time is offered twice', () => {
  const labels = (day: number) => usualWakes(new Date(2026, 10, day, 14)).map((w) => w.label);
  expect(labels(22), 'a Sunday').toEqual(['In 3 hours', 'Tomorrow morning', 'In a week']);
  expect(labels(23), 'a Monday').toEqual(['In 3 hours', 'Tomorrow morning', 'Monday morning']);
});

test('a time can be typed', () => {
  expect(typedWake('2h', today)?.at).toEqual(new Date(2026, 10, 20, 16, 30));
  expect(typedWake('3 d', today)).toEqual({ label: 'In 3 days', at: new Date(2026, 10, 23, 8) });
  expect(typedWake('1w', today)?.at).toEqual(new Date(2026, 10, 27, 8));
  expect(typedWake('12/04', today)?.at).toEqual(new Date(2026, 11, 4, 8));
  expect(typedWake('1/15', today)?.at, 'a day that is over is one of next year').toEqual(new Date(2027, 0, 15, 8));
  for (const wrong of ['', 'soon', '0h', '400d', '13/40', '2/30']) expect(typedWake(wrong, today)).toBeNull();
});
