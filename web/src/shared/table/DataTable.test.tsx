import { Menu } from '@mantine/core';
import { screen, within } from '@testing-library/react';
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
