import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type { CdaEntry, OutlineSection } from '@/api/types';
import { attachment } from '@/test/fixtures';
import { renderScreen } from '@/test/render';
import { server } from '@/test/setup';
import { CdaExplorer } from './CdaExplorer';
import { earlierDay } from './news';

vi.mock('@/shared/usePreference', () => ({ usePreference: () => [{ order: [], hidden: ['allergies'] }, () => {}] }));

const entry = (name: string, isNew: boolean): CdaEntry => ({ cells: [name], isNew });
const section = (title: string, rows: CdaEntry[]): OutlineSection => ({
  id: title,
  title,
  entryCount: rows.length,
  entries: { heads: ['Name'], rows, leftOut: 0 },
  narrativeHtml: '',
  sections: [],
});
const sections = [
  section('Problems', [entry('Asthma', false)]),
  section('Medications', [entry('Lisinopril', false), entry('Metformin', true)]),
  section('Allergies', [entry('Penicillin', true)]),
];
const earlier = { messageId: 'm0', attachmentId: 'a0', title: 'Summary of Care', effectiveTime: '20261101233000-0500', receivedDate: '' };
const show = (outline: object) => {
  setToken({ accessToken: 'a', expiresIn: 900 });
  server.use(
    http.get('*/outline', () => HttpResponse.json({ title: 'Summary', sections, ...outline })),
    http.get('*/api/users/current', () => HttpResponse.json({})),
  );
  renderScreen(<CdaExplorer attachment={attachment()} instead={null} />);
};

test('what is new since the document before is marked, and shown alone, also where its section is hidden', async () => {
  show({ comparedWith: earlier });
  expect(await screen.findByRole('heading', { name: '2 new entries since Summary of Care of 11/01/2026' })).toBeVisible();
  expect(screen.getByRole('link', { name: /^Summary of Care/ })).toHaveAttribute('href', '/intake/m0');
  expect(screen.getByRole('button', { name: /^Medications/ })).toHaveTextContent('1 new');
  await userEvent.click(screen.getByRole('button', { name: 'New only' }));
  expect(screen.queryByRole('button', { name: /^Problems/ })).toBeNull();
  expect(screen.getByRole('cell', { name: /Metformin/ })).toHaveTextContent('MetforminNew');
  expect(screen.queryByText('Lisinopril')).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: /^Allergies/ }));
  expect(screen.getByText('Penicillin')).toBeVisible();
});

test('without an earlier document nothing is said to be new', async () => {
  show({ comparedWith: null });
  expect(await screen.findByRole('button', { name: /^Problems/ })).toBeVisible();
  expect(screen.queryByText(/since/)).toBeNull();
  expect(screen.queryByRole('button', { name: 'New only' })).toBeNull();
});

test('the earlier document has the day that it tells of, else the one on which it came', () => {
  expect(earlierDay(earlier)).toBe('11/01/2026');
  expect(earlierDay({ effectiveTime: null, receivedDate: '2026-10-15T16:31:00Z' })).toBe('10/15/2026');
});

test('the values of a measurement are drawn over time', async () => {
  const measured = (time: string, value: number): CdaEntry =>
    ({ cells: ['Hemoglobin A1c'], measure: { time, value, unit: '%' } }) as CdaEntry;
  show({ sections: [section('Results', [measured('20260105', 7.1), measured('20260405', 6.8)])] });
  await userEvent.click((await screen.findAllByRole('button', { name: 'Hemoglobin A1c' }))[0]!);
  expect(screen.getByRole('img', { name: 'Hemoglobin A1c: 7.1 on 01/05/2026, 6.8 on 04/05/2026' })).toBeInTheDocument();
});
