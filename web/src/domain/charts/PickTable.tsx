import './charts.css';
import { Checkbox, Table } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, type Ref, useState } from 'react';

export type PickColumn<T> = {
  key: string;
  title: string;
  render: (row: T) => ReactNode;
  width?: number;
  /** The name of the row. */
  primary?: boolean;
};

type Props<T> = {
  label: string;
  columns: PickColumn<T>[];
  rows: T[];
  rowId: (row: T) => string;
  rowName: (row: T) => string;
  chosen: readonly string[];
  /** A row was clicked, or reached by arrow keys. With `multiple` it is added or removed, also by Space and Enter. */
  onChoose: (row: T) => void;
  /** Enter or a double click on a row; without it, Enter chooses. */
  onPick?: (row: T) => void;
  /** Rows that cannot be chosen. */
  isOff?: (row: T) => boolean;
  multiple?: boolean;
  /** The rows are not those of the current search. */
  isStale?: boolean;
  ref?: Ref<HTMLTableElement>;
};

/** Rows to choose from, by mouse or by arrow keys. On phones they are cards. */
export function PickTable<T>({ label, columns, rows, rowId, rowName, chosen, multiple, isStale, ref, ...props }: Props<T>) {
  const [cursor, setCursor] = useState<string | null>(null);
  const ids = rows.map(rowId);
  // One row can be reached by Tab.
  const entry = [cursor, chosen[0], ids[0]].find((id) => id && ids.includes(id));
  const choose = (row: T) => !props.isOff?.(row) && props.onChoose(row);

  /** Where a key leads: past the rows that cannot be chosen; null at the end, undefined for other keys. */
  const rowByKey = (key: string, row: T): T | null | undefined => {
    const at = rows.indexOf(row);
    const ways: Record<string, T[]> = {
      ArrowDown: rows.slice(at + 1),
      ArrowUp: rows.slice(0, at).reverse(),
      Home: rows,
      End: [...rows].reverse(),
    };
    return ways[key] && (ways[key].find((r) => !props.isOff?.(r)) ?? null);
  };
  const onKeyDown = (e: KeyboardEvent<HTMLElement>, row: T) => {
    const next = rowByKey(e.key, row);
    if (next !== undefined) {
      e.preventDefault();
      if (!next) return;
      e.currentTarget.parentElement?.querySelectorAll('tr')[rows.indexOf(next)]?.focus();
      if (!multiple) choose(next);
    } else if (e.key === 'Enter' && !(e.ctrlKey || e.metaKey) && !multiple) {
      e.preventDefault();
      if (!props.onPick) choose(row);
      else if (!props.isOff?.(row)) props.onPick(row);
    } else if (e.key === ' ' || (e.key === 'Enter' && !(e.ctrlKey || e.metaKey))) {
      e.preventDefault();
      choose(row);
    }
  };
  return (
    <Table
      ref={ref}
      className="cp-table cp-flat chart-pick"
      role="grid"
      aria-label={label}
      aria-multiselectable={multiple}
      data-stale={isStale || undefined}
    >
      <Table.Thead>
        <Table.Tr>
          {multiple && (
            <Table.Th w={44}>
              <span className="cp-hidden">Choose</span>
            </Table.Th>
          )}
          {columns.map((c) => (
            <Table.Th key={c.key} w={c.width}>
              {c.title}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => {
          const id = rowId(row);
          const isChosen = chosen.includes(id);
          return (
            <Table.Tr
              key={id}
              tabIndex={id === entry ? 0 : -1}
              aria-selected={isChosen}
              aria-disabled={props.isOff?.(row) || undefined}
              data-sel={isChosen || undefined}
              data-opens
              onFocus={() => setCursor(id)}
              onClick={() => choose(row)}
              onDoubleClick={() => !props.isOff?.(row) && props.onPick?.(row)}
              onKeyDown={(e) => onKeyDown(e, row)}
            >
              {multiple && (
                <Table.Td className="i">
                  <Checkbox
                    tabIndex={-1}
                    aria-label={`Choose ${rowName(row)}`}
                    checked={isChosen}
                    disabled={props.isOff?.(row)}
                    onClick={(e) => e.stopPropagation()}
                    onChange={() => choose(row)}
                  />
                </Table.Td>
              )}
              {columns.map((c) => (
                <Table.Td key={c.key} className={c.primary ? 'p' : undefined} data-title={c.title}>
                  {c.render(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          );
        })}
      </Table.Tbody>
    </Table>
  );
}
