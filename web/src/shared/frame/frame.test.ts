import { expect, test } from 'vitest';
import { frameDocument } from './frame';

test('styles of a framed page have the nonce, and no style attributes are left', () => {
  const page = frameDocument(
    '<html><head><style>h1{color:red}</style></head><body><td style="text-align:right">1</td><p>style="kept"</p></body></html>',
    'abc',
    'p{margin:0}',
  );
  expect(page).toContain('<style nonce="abc">h1{color:red}');
  expect(page).toContain('<td data-style="0">');
  expect(page).toContain('[data-style="0"]{text-align:right}');
  expect(page).toContain('p{margin:0}');
  expect(page).toContain('<p>style="kept"</p>');
});

test('a fragment becomes a page, and its links lead nowhere', () => {
  const page = frameDocument('<base href="https://evil.example"><meta http-equiv="refresh" content="0"><p>x</p>', 'abc');
  expect(page).toMatch(/^<!doctype html>/);
  expect(page).not.toMatch(/<base|http-equiv/);
});
