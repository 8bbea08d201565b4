import { expect, test } from 'vitest';
import type { ChartVisit } from '@/api/types';
import { proposedVisit } from './rules';

const visit = (id: string, date: string, over: Partial<ChartVisit> = {}): ChartVisit => ({
  id,
  date,
  description: '',
  provider: '',
  status: '',
  isCancelled: false,
  orders: [],
  ...over,
});
const proposed = (visits: ChartVisit[], documentDate: string | null = '2026-11-18') => {
  const found = proposedVisit(visits, documentDate, '2026-11-24');
  return found && [found.visit.id, found.why];
};

test('a visit is proposed by the date of the document, else today, else the latest so far, and never a cancelled one', () => {
  const [early, stay, today, later] = [
    visit('early', '2026-10-01'),
    visit('stay', '2026-11-15', { endDate: '2026-11-19' }),
    visit('today', '2026-11-24'),
    visit('later', '2026-12-01'),
  ];
  expect(proposed([later, today, stay, early])).toEqual(['stay', 'On the date of the document']);
  expect(proposed([stay, visit('same', '2026-11-18')])).toEqual(['same', 'On the date of the document']);
  expect(proposed([later, today, stay, early], null)).toEqual(['today', 'Today']);
  expect(proposed([later, early])).toEqual(['early', 'The latest visit']);
  expect(proposed([{ ...today, isCancelled: true }, later])).toBeNull();
});
