import { expect, test } from 'vitest';
import { checkLogo } from './rules';

test('a logo is a small PNG or JPEG picture', () => {
  expect(checkLogo({ type: 'image/png', size: 512 * 1024 })).toBeNull();
  expect(checkLogo({ type: 'image/jpeg', size: 1 })).toBeNull();
  expect(checkLogo({ type: 'image/svg+xml', size: 1 })).toBe('Please choose a PNG or JPEG picture.');
  expect(checkLogo({ type: 'image/png', size: 512 * 1024 + 1 })).toBe('A logo may have at most 512 KiB.');
});
