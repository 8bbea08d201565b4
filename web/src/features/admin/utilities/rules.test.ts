import { describe, expect, it } from 'vitest';
import { ApiError } from '@/api/client';
import { listed, lookupError } from './rules';

describe('ids that are pasted', () => {
  it('are divided by commas, without line breaks, and trimmed (ADA-R-284, ADA-R-285, ADA-R-286)', () => {
    expect(listed(' a ,b\r\n, c\nd,,')).toEqual(['a', 'b', 'cd']);
  });
});

describe('a lookup that fails', () => {
  it('says Not Found for what is not there (ADA-R-287)', () => {
    expect(lookupError(new ApiError(404, {}))).toBe('Not Found');
  });
  it('shows the words of the server otherwise (ADA-R-288)', () => {
    expect(lookupError(new ApiError(409, { message: 'The database is full.' }))).toContain('The database is full.');
  });
});
