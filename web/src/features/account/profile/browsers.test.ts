import { expect, test } from 'vitest';
import { browserName } from './browsers';

test('a session is named by its browser and system', () => {
  const chrome = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36';
  expect(browserName(chrome)).toBe('Chrome on Windows');
  expect(browserName(`${chrome} Edg/141.0`)).toBe('Edge on Windows');
  expect(browserName('Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1')).toBe(
    'Safari on iOS',
  );
  expect(browserName('curl/8.5')).toBe('Another program');
});
