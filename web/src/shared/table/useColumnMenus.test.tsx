import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { renderApp } from '@/test/render';
import { type Column, DataTable } from './DataTable';
import { useColumnMenus } from './useColumnMenus';

type Row = { id: string; name: string };
const rows: Row[] = ['Scan 10', 'scan 9', 'Report'].map((name, i) => ({ id: String(i), name }));
const columns: Column<Row>[] = [{ key: 'name', title: 'Name', text: (r) => r.name }];

function List() {
  const menus = useColumnMenus(columns, rows, ['name']);
  return (
    <DataTable
      label="Files"
      columns={menus.columns}
      order={menus.order}
      rows={menus.rows}
      rowId={(r) => r.id}
      rowName={(r) => r.name}
      errorTitle="Failed"
      empty={<button onClick={menus.clear}>Clear all</button>}
    />
  );
}
const names = () => screen.getAllByRole('cell').map((cell) => cell.textContent);

test('a list that is here as a whole is sorted and filtered by the menu of a column', async () => {
  renderApp(<List />);
  await userEvent.click(screen.getByRole('button', { name: 'Sort and filter Name' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Ascending' }));
  expect(names()).toEqual(['Report', 'scan 9', 'Scan 10']);
  await userEvent.click(screen.getByRole('button', { name: 'Ascending' }));
  expect(names()).toEqual(['Scan 10', 'scan 9', 'Report']);
  await userEvent.type(screen.getByRole('textbox', { name: 'Value' }), 'SCAN{Enter}');
  expect(names()).toEqual(['Scan 10', 'scan 9']);
  await userEvent.clear(screen.getByRole('textbox', { name: 'Value' }));
  await userEvent.type(screen.getByRole('textbox', { name: 'Value' }), 'nothing{Enter}');
  await userEvent.click(await screen.findByText('Clear all'));
  expect(names()).toHaveLength(3);
});
