import { expect, test } from 'vitest';
import { refusalOf, waitedInVain } from '../../e2e/verdict';

const late = "expect(locator).toBeVisible() failed\n\nLocator: getByText('Saved')\nTimeout: 30000ms\nError: element(s) not found";
const failure = (over: Partial<Parameters<typeof refusalOf>[0]> = {}) => ({
  errors: [late],
  defects: [],
  ...over,
});

test.each([
  [late, true],
  ["locator.click: Timeout 30000ms exceeded.\nCall log:\n  - waiting for getByRole('button')", true],
  ['Timeout 180000ms exceeded while waiting on the predicate', true],
  ['Test timeout of 240000ms exceeded.', true],
  ['expect(received).toBe(expected) // Object.is equality\n\nExpected: 200\nReceived: 404', false],
  ['PUT /api/messages: 409 ', false],
])('%s: waited in vain %s', (message, is) => expect(waitedInVain(message)).toBe(is));

test('only what waited in vain gets a second try', () => {
  expect(refusalOf(failure(), [])).toBeNull();
  expect(refusalOf(failure({ errors: [late, 'expect(received).toBe(expected)\nExpected: 1'] }), [])).toMatch(/wrong, not late: expect/);
});

test('an error of the page or the server is refused at once', () => {
  expect(refusalOf(failure({ defects: ['500 for GET /api/messages'] }), [])).toMatch(/500 for GET/);
});

test('critical tests get no second try', () => {
  expect(refusalOf(failure(), ['@critical'])).toMatch(/no second try/);
});
