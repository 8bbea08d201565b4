import { expect, test } from 'vitest';
import { countMatches, markHits, markMatches } from './find';

test('words are found and marked without regard to case, and text never becomes markup', () => {
  expect(countMatches(['Lisinopril and lisinopril', '<b>'], 'LISINOPRIL')).toBe(2);
  expect(markMatches('a < Echo', 'echo')).toBe('a &#60; <mark>Echo</mark>');
});

test('matches in an HTML page are counted and marked in its text alone', () => {
  const page =
    '<html><head><title>amp</title></head><body class="amp"><style>amp</style><p id="amp">AMP &amp; amp\nhour</p><!-- amp --></body></html>';
  expect(markHits(page, 'amp', 'mark')).toEqual({
    html: page.replace('>AMP &amp; amp', '><mark id="cp-hit-0">AMP</mark> &amp; <mark id="cp-hit-1">amp</mark>'),
    count: 2,
  });
  expect(markHits(page, '& amp hour', 'span').html).toContain('AMP <span id="cp-hit-0">&amp; amp\nhour</span>');
  expect(markHits(page, '', 'mark')).toEqual({ html: page, count: 0 });
});
