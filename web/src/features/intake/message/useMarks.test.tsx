import { act, fireEvent, renderHook, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import type { ExtractedMark } from '@/api/types';
import { PatientFields } from '@/domain/messaging/PatientFields';
import type { ExtractedField } from '@/domain/messaging/rules';
import { PageMarks } from '@/domain/messaging/viewer/marks';
import { renderApp } from '@/test/render';
import { placesOf, useMarks } from './useMarks';

const name = { left: 0.2, top: 0.1, width: 0.2, height: 0.02 };
const mark = (field: ExtractedMark['field'], over: Partial<ExtractedMark> = {}): ExtractedMark => ({
  field,
  page: 2,
  box: name,
  confidence: 1,
  ...over,
});
const read = [mark('lastName'), mark('firstName'), mark('birthDate', { box: { ...name, top: 0.2 } }), mark('gender', { page: 3 })];

test('values that are printed in one piece have one place, and confirmed ones none', () => {
  const places = placesOf(read, new Set(['firstName', 'lastName', 'gender']));
  expect(places.map((p) => [p.label, p.page])).toEqual([
    ['Last name, first name', 2],
    ['Gender', 3],
  ]);
});

function Host({ unverified }: { unverified: ReadonlySet<ExtractedField> }) {
  const { note, marks, pointing } = useMarks('a1', unverified);
  return (
    <>
      <button onClick={() => note('a1', read)}>Read</button>
      <div {...pointing}>
        <PatientFields value={{ gender: 'F' }} onChange={() => {}} errors={{}} unverified={unverified} />
      </div>
      <div data-testid="page">
        <PageMarks marks={{ ...marks, onPick: () => {} }} page={2} degrees={0} showsAll={false} />
      </div>
    </>
  );
}
const shown = () => [...screen.getByTestId('page').children].map((e) => e.getAttribute('aria-label'));

test('the field that is pointed at, or else has the focus, shows where its value was read', async () => {
  renderApp(<Host unverified={new Set(['birthDate', 'lastName'])} />);
  await userEvent.click(screen.getByRole('button', { name: 'Read' }));
  expect(shown()).toEqual([]);
  await userEvent.click(screen.getByLabelText('Birth date'));
  expect(shown()).toEqual(['Read here: Birth date']);
  fireEvent.mouseOver(screen.getByText('Last name'));
  expect(shown()).toEqual(['Read here: Last name']);
  fireEvent.mouseOver(screen.getByText('Patient ID'));
  expect(shown()).toEqual(['Read here: Birth date']);
  await userEvent.click(screen.getByLabelText('Patient ID'));
  expect(shown()).toEqual([]);
});

test('what was read on a page that nobody has looked at was not seen', () => {
  const { result } = renderHook(() => useMarks('a1', new Set<string>(['gender'])));
  act(() => result.current.note('a1', read));
  act(() => result.current.marks.onPage(2));
  expect(result.current.wereSeen(['lastName'])).toBe(true);
  expect(result.current.wereSeen(['lastName', 'gender'])).toBe(false);
  act(() => result.current.marks.onPage(3));
  expect(result.current.wereSeen(['lastName', 'gender'])).toBe(true);
});
