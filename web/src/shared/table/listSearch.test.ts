import { expect, test } from 'vitest';
import { clampPage, listSearch, nextSort, pageCount, pageGroup, rowsOfWindow } from './listSearch';

test('a list reads valid parameters from the URL and drops the rest', () => {
  expect(listSearch({ page: '3', size: 25, sort: 'createdDate', dir: 'asc', search: 'x' })).toEqual({
    page: 3,
    size: 25,
    sort: 'createdDate',
    dir: 'asc',
    search: 'x',
    cursor: undefined,
    edit: undefined,
  });
  expect(listSearch({ page: -1, size: 13, sort: 'a b', dir: 'up' })).toEqual({
    page: undefined,
    size: undefined,
    sort: undefined,
    dir: undefined,
    search: undefined,
    cursor: undefined,
    edit: undefined,
  });
});

test('a column sorts descending, then ascending, then not', () => {
  const once = nextSort({ by: null, dir: 'desc' }, 'status');
  const twice = nextSort(once, 'status');
  expect([once, twice, nextSort(twice, 'status')]).toEqual([
    { by: 'status', dir: 'desc' },
    { by: 'status', dir: 'asc' },
    { by: null, dir: 'desc' },
  ]);
});

test('five page links form a group, and a jump stays within the pages (MSG-R-130, MSG-R-131)', () => {
  expect(pageGroup(1, 13)).toEqual([1, 2, 3, 4, 5]);
  expect(pageGroup(7, 13)).toEqual([6, 7, 8, 9, 10]);
  expect(pageGroup(13, 13)).toEqual([11, 12, 13]);
  expect(pageCount(0, 10)).toBe(1);
  expect(pageCount(312, 25)).toBe(13);
  expect([clampPage(0, 13), clampPage(99, 13), clampPage(Number.NaN, 13)]).toEqual([1, 13, 1]);
});

test('a list is as long as the window, ten rows at least and a hundred at most', () => {
  expect([500, 900, 1440, 9000].map(rowsOfWindow)).toEqual([10, 16, 29, 100]);
});
