import { expect, test } from 'vitest';
import type { IntakeItem, IntakePage } from '@/api/types';
import { row } from '@/test/intake';
import { DEFAULT_ORDER, hasFilters, intakeRequest, intakeSearch, keepOrder, titleOf } from './list';

const state = (search: ReturnType<typeof intakeSearch>, words = '') => ({ search, words, page: 1, size: 10, order: DEFAULT_ORDER });
const item = (id: string, subject = id) => ({ id, subject }) as IntakeItem;
const page = (...items: IntakeItem[]): IntakePage => ({ items, totalCount: items.length });

test('the list starts 30 days back, newest first', () => {
  const request = intakeRequest(state(intakeSearch({})));
  expect(request).toMatchObject({ pageStart: 1, pageSize: 10, orderBy: 'createdDate', orderDir: 'desc', isAll: true, isUnassigned: false });
  const days = (Date.now() - Date.parse(request.startDate!)) / 86_400_000;
  expect(Math.floor(days)).toBeGreaterThanOrEqual(29);
  expect(Math.floor(days)).toBeLessThanOrEqual(31);
});

test('the address becomes a request, and a malformed one is ignored', () => {
  const search = intakeSearch({ view: 'mine', from: '2026-01-02', until: 'x', status: 'Failed,Pending', source: 'Fax' });
  expect(intakeRequest(state(search, 'tenney'))).toMatchObject({
    isAll: false,
    isAssignedToSelf: true,
    startDate: new Date(2026, 0, 2).toISOString(),
    endDate: undefined,
    statuses: ['Failed', 'Pending'],
    sourceTypes: ['Fax'],
    filter: 'tenney',
  });
  expect(hasFilters(search, '')).toBe(true);
  expect(hasFilters(intakeSearch({ view: 'urgent' }), '')).toBe(false);
});

test('the list shows what is to be done; words and a chosen status show the rest too', () => {
  const open = intakeRequest(state(intakeSearch({})));
  expect(open.statuses).not.toContain('Processed');
  expect(open.statuses).toContain('Received');
  expect(open.hidesSnoozed).toBe(true);
  expect(intakeRequest(state(intakeSearch({}), 'tenney'))).toMatchObject({ statuses: [], hidesSnoozed: false });
  expect(intakeRequest(state(intakeSearch({}), 'tenney')).startDate, 'of all dates').toBe(new Date(2000, 0, 1).toISOString());
  expect(intakeRequest(state(intakeSearch({ status: 'all' })))).toMatchObject({ statuses: [], hidesSnoozed: false });
  expect(intakeRequest(state(intakeSearch({ view: 'snoozed' })))).toMatchObject({ isSnoozed: true, isAll: false, hidesSnoozed: false });
});

test('fresh values flow into the rows in view, new rows wait', () => {
  const { page: shown, arrived } = keepOrder(page(item('a'), item('b')), page(item('new'), item('a', 'changed')));
  expect(shown.items.map((m) => m.subject)).toEqual(['changed', 'b']);
  expect(arrived).toBe(1);
});

test('a row that left the list goes, and the one that moves up comes at the end', () => {
  const { page: shown, arrived } = keepOrder(page(item('a'), item('b'), item('c')), page(item('new'), item('a'), item('c'), item('d')));
  expect(shown.items.map((m) => m.id)).toEqual(['a', 'c', 'd']);
  expect(arrived).toBe(1);
  expect(keepOrder(page(item('a')), page()).page.items).toEqual([]);
  expect(keepOrder(page(item('a'), item('b')), page(item('a'))).page.items, 'the last row too').toHaveLength(1);
});

test('a fax is called by what it is about as soon as that is known, other messages by their subject', () => {
  const fax = row({ sourceType: 'Fax', subject: 'Fax from 740-555-0110, 3 pages' });
  expect(titleOf(fax)).toBe('Fax from 740-555-0110, 3 pages');
  expect(titleOf({ ...fax, proposal: { patientName: 'Tenney, Ruth', documentType: 'Lab report' } })).toBe('Lab report · Tenney, Ruth');
  expect(titleOf({ ...fax, patientName: 'Halloran, Bridget', proposal: { patientName: 'Tenney, Ruth' } })).toBe('Halloran, Bridget');
  expect(titleOf(row({ proposal: { patientName: 'Tenney, Ruth' } }))).toBe('Results');
});
