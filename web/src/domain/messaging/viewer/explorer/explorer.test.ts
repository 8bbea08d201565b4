import { expect, test } from 'vitest';
import type { CdaEntry, OutlineSection } from '@/api/types';
import { folded, matching } from './EntriesTable';
import { arranged, AS_WRITTEN, moved, toggled } from './sections';
import { rangeWords, seriesOf, ticksOf, timeOf } from './series';

const section = (title: string, code?: string, rows: CdaEntry[] = []): OutlineSection => ({
  id: title,
  title,
  code: code ? { code } : null,
  entryCount: rows.length,
  entries: rows.length ? { heads: ['Test', 'Result'], rows, leftOut: 0 } : null,
  narrativeHtml: '',
  sections: [],
});
const result = (name: string, value: number, time: string | null, over: Partial<CdaEntry> = {}): CdaEntry => ({
  cells: [name, `${value} %`],
  code: '4548-4',
  measure: { value, unit: '%', low: 4, high: 5.6, time },
  ...over,
});
const titles = (sections: OutlineSection[]) => sections.map((s) => s.title);

test('sections move among each other and keep their order in other documents', () => {
  const here = [section('Allergies', '48765-2'), section('Results', '30954-2'), section('Plan', '18776-5')];
  const up = moved(here, AS_WRITTEN, here[2]!, -1);
  expect(titles(arranged(here, up))).toEqual(['Allergies', 'Plan', 'Results']);
  expect(moved(here, up, here[0]!, -1)).toBe(up);
  const elsewhere = [section('Ergebnisse', '30954-2'), section('Social history'), section('Allergies', '48765-2')];
  expect(titles(arranged(elsewhere, up))).toEqual(['Allergies', 'Ergebnisse', 'Social history']);
  expect(titles(arranged(elsewhere, AS_WRITTEN))).toEqual(titles(elsewhere));
});

test('a hidden section is shown again', () => {
  const hidden = toggled(AS_WRITTEN, section('Plan', '18776-5'));
  expect(hidden.hidden).toEqual(['18776-5']);
  expect(toggled(hidden, section('Plan of treatment', '18776-5')).hidden).toEqual([]);
});

test('the values of one measurement come from all sections, the oldest first and each once', () => {
  const latest = result('Hemoglobin A1c', 7.9, '20261117');
  const sections = [
    section('Results', '30954-2', [
      latest,
      result('A1c', 7.1, '202408'),
      result('A1c', 54, '20250101', { measure: { value: 54, unit: 'mmol/mol' } }),
    ]),
    section('Vitals', '8716-3', [result('HbA1c', 7.9, '20261117'), result('Glucose', 148, '20261117', { code: '1558-6' })]),
  ];
  const series = seriesOf(sections, latest)!;
  expect(series.points.map((p) => p.value)).toEqual([7.1, 7.9]);
  expect(rangeWords(series)).toBe('4 to 5.6');
  expect(ticksOf(series)).toEqual([4, 5, 6, 7, 8]);
  expect(seriesOf(sections, { cells: ['Color', 'Yellow'] })).toBeNull();
});

test('entries that say the same in every column are folded, and stay new if one of them is', () => {
  const sodium = result('Sodium', 139, '20261117');
  const again = { ...sodium, isNew: true };
  const later = result('Sodium', 139, '20261118');
  expect(folded([sodium, later, again])).toEqual([
    { row: again, times: 2 },
    { row: later, times: 1 },
  ]);
});

test('ticks cover a single value and small numbers', () => {
  const alone = { name: '', unit: '', low: null, high: null };
  expect(ticksOf({ ...alone, points: [{ at: 0, value: 0 }] }).length).toBeGreaterThan(1);
  expect(ticksOf({ ...alone, points: [{ at: 0, value: 0.94 }], low: 0.74, high: 1.35 })).toEqual([0.6, 0.8, 1, 1.2, 1.4]);
});

test('times of any precision are points, and other words are none', () => {
  expect(timeOf('20261117')).toBe(Date.UTC(2026, 10, 17));
  expect(timeOf('2026')).toBe(Date.UTC(2026, 0, 1));
  expect(timeOf('202611170742-0500')).toBe(Date.UTC(2026, 10, 17, 7, 42));
  expect(timeOf('last week')).toBeNull();
});

test('entries are found by their texts, code and flag', () => {
  const rows = [result('Hemoglobin A1c', 7.9, null, { flag: 'High' }), result('Sodium', 139, null, { code: '2951-2' })];
  expect(matching(rows, ' sod', false)).toEqual([rows[1]]);
  expect(matching(rows, '2951', false)).toEqual([rows[1]]);
  expect(matching(rows, '', true)).toEqual([rows[0]]);
  expect(matching(rows, 'sod', true)).toEqual([]);
});
