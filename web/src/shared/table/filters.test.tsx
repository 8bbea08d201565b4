import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, test, vi } from 'vitest';
import { renderApp } from '@/test/render';
import { ColumnFilterMenu, type ColumnFilterValue, CountFilter, DateRangeFilter, SearchInput } from './filters';
import type { DateRange } from '../rules/dates';
import type { SortState } from './listSearch';

test('a column menu sorts descending, ascending and not, and filters by a value or a part of it (MSG-S-057, MSG-R-134, MSG-R-135, MSG-T-039, MSG-T-040)', async () => {
  const seen = vi.fn();
  function Host() {
    const [order, setOrder] = useState<SortState>({ by: null, dir: 'desc' });
    const [value, setValue] = useState<ColumnFilterValue | null>(null);
    seen(order, value);
    return <ColumnFilterMenu title="Name" by="name" order={order} onSort={setOrder} value={value} onFilter={setValue} />;
  }
  renderApp(<Host />);
  await userEvent.click(screen.getByRole('button', { name: 'Sort and filter Name' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Descending' }));
  expect(seen).toHaveBeenLastCalledWith({ by: 'name', dir: 'desc' }, null);
  await userEvent.click(screen.getByRole('button', { name: 'Ascending' }));
  expect(seen).toHaveBeenLastCalledWith({ by: 'name', dir: 'asc' }, null);
  await userEvent.click(screen.getByRole('button', { name: 'Ascending' }));
  expect(seen.mock.lastCall?.[0]).toMatchObject({ by: null });
  await userEvent.type(screen.getByRole('textbox', { name: 'Value' }), 'Ann{Enter}');
  expect(seen).toHaveBeenLastCalledWith(expect.anything(), { mode: 'contains', text: 'Ann' });
  await userEvent.click(screen.getByRole('combobox', { name: 'Kind of filter' }));
  await userEvent.click(await screen.findByRole('option', { name: 'Where value equals', hidden: true }));
  await userEvent.click(screen.getByRole('button', { name: 'Filter' }));
  expect(seen).toHaveBeenLastCalledWith(expect.anything(), { mode: 'equals', text: 'Ann' });
  await userEvent.click(screen.getByRole('button', { name: 'Clear' }));
  expect(seen).toHaveBeenLastCalledWith(expect.anything(), null);
});

test('counts above the cap end in a plus (MSG-S-060, MSG-R-464, MSG-T-122)', () => {
  renderApp(
    <CountFilter
      label="Views"
      value="a"
      onChange={() => {}}
      cap={99}
      views={[
        { value: 'a', label: 'Few', count: 12 },
        { value: 'b', label: 'Many', count: 312 },
      ]}
    />,
  );
  expect(screen.getByRole('radiogroup', { name: 'Views' })).toHaveTextContent('Few 12Many 99+');
});

test('a search waits 300 ms after the last key (MSG-S-059, MSG-R-450)', async () => {
  const change = vi.fn();
  renderApp(<SearchInput label="Search" placeholder="" value="" onChange={change} />);
  await userEvent.type(screen.getByRole('searchbox', { name: 'Search' }), 'ann');
  expect(change).not.toHaveBeenCalled();
  await waitFor(() => expect(change).toHaveBeenCalledWith('ann'));
  expect(change).toHaveBeenCalledTimes(1);
});

test('all dates can be chosen where a list shows the latest ones by default (MSG-T-130)', async () => {
  vi.setSystemTime(new Date(2026, 10, 20, 12));
  const change = vi.fn();
  const unset = { start: '2026-10-21', end: '2026-11-20' };
  const { unmount } = renderApp(<DateRangeFilter label="Received" value={null} unset={unset} hasAll onChange={change} />);
  await userEvent.click(screen.getByRole('button', { name: /^Received/ }));
  await userEvent.click(await screen.findByRole('button', { name: 'All Dates' }));
  expect(change).toHaveBeenCalledWith({ start: '2000-01-01', end: '2026-11-20' });
  unmount();
  renderApp(<DateRangeFilter label="Received" value={change.mock.calls[0]![0] as DateRange} unset={unset} hasAll onChange={change} />);
  expect(screen.getByRole('button', { name: /^Received/ })).toHaveTextContent('All Dates');
  vi.useRealTimers();
});

test('any two dates can be chosen (MSG-T-131)', async () => {
  const change = vi.fn();
  renderApp(<DateRangeFilter label="Date" value={{ start: '2026-03-01', end: '2026-03-31' }} hasAll onChange={change} />);
  await userEvent.click(screen.getByRole('button', { name: /^Date/ }));
  const fields = within(await screen.findByRole('group', { name: 'Date Range' }));
  const from = fields.getByRole('textbox', { name: 'From' });
  await userEvent.clear(from);
  await userEvent.type(from, '2/1/26{Tab}');
  expect(change).toHaveBeenLastCalledWith({ start: '2026-02-01', end: '2026-03-31' });
});

test('a range of dates offers six names and spans last year to today (MSG-S-058, MSG-R-470, MSG-R-471, MSG-T-124, MSG-T-125, MSG-T-126, MSG-T-127, MSG-T-128, MSG-T-129)', async () => {
  vi.setSystemTime(new Date(2026, 10, 20, 12));
  const change = vi.fn();
  renderApp(<DateRangeFilter label="Received" value={null} onChange={change} />);
  await userEvent.click(screen.getByRole('button', { name: 'Received' }));
  expect(await screen.findByRole('textbox', { name: 'From' })).toHaveValue('11/20/2025');
  expect(screen.getByRole('textbox', { name: 'To' })).toHaveValue('11/20/2026');
  for (const name of ['Today', 'Yesterday', 'Last 7 Days', 'Last 30 Days', 'This Month', 'Last Month'])
    expect(screen.getByRole('button', { name })).toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Last Month' }));
  expect(change).toHaveBeenCalledWith({ start: '2026-10-01', end: '2026-10-31' });
  vi.useRealTimers();
});

test('Escape leaves the search with its words, and Enter goes on to what was found', async () => {
  const [change, enter] = [vi.fn(), vi.fn()];
  renderApp(<SearchInput label="Search" placeholder="Name" value="" onChange={change} onEnter={enter} />);
  const field = screen.getByRole('searchbox', { name: 'Search' });
  await userEvent.type(field, 'Tenney{Escape}');
  expect(field).toHaveValue('Tenney');
  expect(field).not.toHaveFocus();
  await userEvent.type(field, '{Enter}');
  expect(change).toHaveBeenLastCalledWith('Tenney');
  expect(enter).toHaveBeenCalledTimes(1);
  expect(field).not.toHaveFocus();
});
