import { Menu } from '@mantine/core';
import { act, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, test, vi } from 'vitest';
import { renderApp } from '@/test/render';
import { type Column, DataTable } from './DataTable';
import { ListFooter } from './ListFooter';

type Row = { id: string; name: string };
const rows: Row[] = ['Ann', 'Bo', 'Cy'].map((name) => ({ id: name, name }));
const columns: Column<Row>[] = [{ key: 'name', title: 'Name', sortable: true, render: (r) => r.name }];
const base = {
  label: 'People',
  columns,
  rowId: (r: Row) => r.id,
  rowName: (r: Row) => r.name,
  errorTitle: 'The people could not be loaded',
  empty: <p>Nobody here</p>,
};

test('the table has a name and says how it is sorted', async () => {
  const sort = vi.fn();
  renderApp(<DataTable {...base} rows={rows} order={{ by: 'name', dir: 'asc' }} onSort={sort} />);
  expect(screen.getByRole('table', { name: 'People' })).toBeInTheDocument();
  expect(screen.getByRole('columnheader', { name: 'Name' })).toHaveAttribute('aria-sort', 'ascending');
  await userEvent.click(screen.getByRole('button', { name: 'Name' }));
  expect(sort).toHaveBeenCalledWith('name');
});

test('a column explains its title behind a mark, which is no part of the title', () => {
  renderApp(<DataTable {...base} columns={[{ ...columns[0]!, help: 'As in the passport.' }]} rows={rows} />);
  const head = screen.getByRole('columnheader', { name: 'Name' });
  expect(within(head).getByRole('button', { name: 'As in the passport.' })).toBeInTheDocument();
});

test('j and k move, Enter opens, x selects', async () => {
  const open = vi.fn();
  function Host() {
    const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
    return <DataTable {...base} rows={rows} onOpen={open} selection={{ ids, onChange: setIds, bar: <b>{ids.size} selected</b> }} />;
  }
  renderApp(<Host />);
  await userEvent.keyboard('jjjk{Enter}');
  expect(open).toHaveBeenCalledWith(rows[1]);
  await userEvent.keyboard('x');
  expect(screen.getByText('1 selected')).toBeInTheDocument();
  expect(screen.getByRole('checkbox', { name: 'Select Bo' })).toBeChecked();
});

test('j moves the focus to the row, so that Enter opens it and presses no button', async () => {
  const [open, press] = [vi.fn(), vi.fn()];
  renderApp(
    <>
      <button onClick={press}>Refresh</button>
      <DataTable {...base} rows={rows} onOpen={open} />
    </>,
  );
  await userEvent.click(screen.getByRole('button', { name: 'Refresh' }));
  await userEvent.keyboard('jj');
  expect(screen.getByRole('row', { name: 'Bo' })).toHaveFocus();
  await userEvent.keyboard('{Enter}');
  expect(open).toHaveBeenCalledWith(rows[1]);
  expect(press).toHaveBeenCalledTimes(1);
});

test('the first row is chosen once the rows that are wanted are there', async () => {
  const open = vi.fn();
  let show: (more: object) => void = () => {};
  function Page() {
    const [more, set] = useState<object>({ stale: true });
    show = set;
    return <DataTable {...base} rows={rows} onOpen={open} {...more} />;
  }
  renderApp(<Page />);
  act(() => show({ stale: true, toFirst: 1 }));
  expect(screen.getAllByRole('row')[1]).not.toHaveFocus();
  act(() => show({ rows: rows.slice(1), toFirst: 1 }));
  expect(screen.getAllByRole('row')[1]).toHaveFocus();
  await userEvent.keyboard('{Enter}');
  expect(open).toHaveBeenCalledWith(rows[1]);
});

test('a click on the row opens it, one on its menu does not', async () => {
  const open = vi.fn();
  renderApp(<DataTable {...base} rows={rows} onOpen={open} rowMenu={() => <Menu.Item>Edit</Menu.Item>} />);
  await userEvent.click(screen.getByRole('button', { name: 'Actions for Bo' }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Edit' }));
  expect(open).not.toHaveBeenCalled();
  await userEvent.click(screen.getByText('Cy'));
  expect(open).toHaveBeenCalledWith(rows[2]);
});

test('loading, empty and failed lists say so', async () => {
  const retry = vi.fn();
  const { rerender } = renderApp(<DataTable {...base} rows={undefined} />);
  expect(screen.getByRole('table')).toHaveAttribute('aria-busy', 'true');
  rerender(<span />);
  renderApp(<DataTable {...base} rows={[]} />);
  expect(screen.getByText('Nobody here')).toBeInTheDocument();
  renderApp(<DataTable {...base} rows={undefined} error={new Error('The request timed out.')} onRetry={retry} />);
  await userEvent.click(within(screen.getByRole('alert')).getByRole('button', { name: 'Try again' }));
  expect(retry).toHaveBeenCalledTimes(1);
});

test('the footer shows five page links, jumps within the pages and goes on by cursor behind row 10,000', async () => {
  const page = vi.fn();
  const { rerender, unmount } = renderApp(<ListFooter page={1} size={10} count={10} total={312} onPage={page} onSize={() => {}} />);
  expect(screen.getAllByRole('button', { name: /^Page \d/ })).toHaveLength(5);
  const jump = screen.getByRole('textbox', { name: 'Go to page' });
  await userEvent.clear(jump);
  await userEvent.type(jump, '99');
  await vi.waitFor(() => expect(page).toHaveBeenCalledWith(32));
  await userEvent.click(screen.getByRole('button', { name: 'Last page' }));
  expect(page).toHaveBeenLastCalledWith(32);
  rerender(<span />);
  unmount();
  renderApp(<ListFooter page={1000} size={10} count={10} total={10_000} capped nextCursor="next" onPage={page} onSize={() => {}} />);
  expect(screen.getByText(/10,000\+/)).toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Next page' }));
  expect(page).toHaveBeenLastCalledWith(1001, 'next');
});
