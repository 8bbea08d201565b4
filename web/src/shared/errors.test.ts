import { expect, test } from 'vitest';
import { ApiError } from '@/api/client';
import { NotRenewed } from '@/api/token';
import { wordsOf } from './errors';

test('messages of the server are shown, those of the browser or of a token renewal are not', () => {
  expect(wordsOf(new ApiError(409, { message: 'It is there already.' }))).toBe('It is there already.');
  expect(wordsOf(new ApiError(422, { message: 'Please check.', modelState: { zip: ['Zip is required.'] } }))).toBe('Zip is required.');
  expect(wordsOf(new Error('The request timed out.'))).toBe('The request timed out.');
  for (const error of [new TypeError('Failed to fetch'), new NotRenewed(503), 'text']) {
    expect(wordsOf(error)).toBe('Something went wrong. Please try again.');
  }
});
