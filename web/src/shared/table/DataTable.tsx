import { ActionIcon, Checkbox, Table, UnstyledButton } from '@mantine/core';
import { IconArrowDown, IconArrowsSort, IconArrowUp, IconChevronRight } from '@tabler/icons-react';
import { useRouter } from '@tanstack/react-router';
import { type MouseEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { type Shortcut, useShortcuts } from '../shortcuts';
import { AppLink } from '../ui/AppLink';
import { ErrorState } from '../ui/blocks';
import { HelpTip } from '../ui/HelpTip';
import { MoreMenu } from '../ui/MoreMenu';
import type { SortState } from './listSearch';

export type Column<T> = {
  key: string;
  title: string;
  /** The cell as plain text: its content unless there is `render`, and its tooltip when it is cut off. */
  text?: (row: T) => string;
  render?: (row: T) => ReactNode;
  width?: number;
  sortable?: boolean;
  /** Hidden first (1), second or third when there is little room. */
  drop?: 0 | 1 | 2 | 3;
  align?: 'right';
  /** Numbers and dates: figures of one width. */
  numeric?: boolean;
  /** The name of the row, in the stronger colour. */
  primary?: boolean;
  /** Explanation of the title, behind a mark beside it. */
  help?: string;
  /** A filter menu beside the title. */
  filter?: ReactNode;
};

type Selection = {
  ids: ReadonlySet<string>;
  onChange: (ids: Set<string>) => void;
  /** Lies over the head while rows are selected. */
  bar: ReactNode;
};

/** The rows that show their details. */
export type Expansion = { ids: ReadonlySet<string>; onChange: (ids: ReadonlySet<string>) => void };

type Props<T> = {
  label: string;
  columns: Column<T>[];
  rows: T[] | undefined;
  rowId: (row: T) => string;
  /** The name of the row, for screen readers. */
  rowName: (row: T) => string;
  error?: unknown;
  errorTitle: string;
  onRetry?: () => void;
  empty: ReactNode;
  order?: SortState;
  onSort?: (by: string) => void;
  onOpen?: (row: T) => void;
  /** Single keys for the row that j and k have chosen, if any. */
  rowKeys?: (row: T | null) => Shortcut[];
  /** The page of a row, if it has one: its name is a link there, and the row opens it, with Ctrl in a new tab. */
  href?: (row: T) => string | undefined;
  /** Menu items at the end of the row (Menu.Item elements). */
  rowMenu?: (row: T) => ReactNode;
  selection?: Selection;
  isUnread?: (row: T) => boolean;
  /** Shown less prominently. */
  isMuted?: (row: T) => boolean;
  /** Details that expand below a row, toggled by its first column. */
  detail?: (row: T) => ReactNode;
  /** Which rows show their details, where the screen decides that. */
  expansion?: Expansion;
  /** Rows of the previous page stay in view while the next one loads. */
  stale?: boolean;
  /** Counts requests for the first row: it is chosen once the rows are loaded. */
  toFirst?: number;
};

const dash = <span className="cp-muted">–</span>;
/** The content of a cell; a dash if empty. */
const cellOf = <T,>(column: Column<T>, row: T): ReactNode => (column.render ? column.render(row) : column.text?.(row) || dash);

const dropClass = (c: { drop?: number }) => (c.drop === undefined ? '' : `cp-drop-${c.drop}`);

/** The set with an id added or removed. */
export function toggled(ids: ReadonlySet<string>, id: string) {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return next;
}

/** The expansion of the screen, or one of its own. */
export function useExpansion(given: Expansion | undefined): Expansion {
  const [ids, onChange] = useState<ReadonlySet<string>>(new Set());
  return given ?? { ids, onChange };
}

/** A table of one page of rows. j and k move, Enter opens, x selects. */
export function DataTable<T>(props: Props<T>) {
  const { label, columns, rows, rowId, rowKeys, rowMenu, selection, detail, stale, href } = props;
  const router = useRouter({ warn: false });
  const go = (row: T) => {
    const to = href?.(row);
    if (to) router.history.push(to);
  };
  const onOpen = props.onOpen ?? (href && go);
  const { current, move, putOn, body } = useRowCursor(props);
  const { ids: expanded, onChange: setExpanded } = useExpansion(props.expansion);

  const toggle = (id: string) => selection?.onChange(toggled(selection.ids, id));
  const expand = (id: string) => setExpanded(toggled(expanded, id));
  useShortcuts([
    { keys: 'j', label: 'Next row', run: () => move(1) },
    { keys: 'k', label: 'Previous row', run: () => move(-1) },
    ...(onOpen ? [{ keys: 'Enter', label: 'Open the row', run: () => current && onOpen(current) }] : []),
    ...(detail ? [{ keys: 'o', label: 'Show more of the row', run: () => current && expand(rowId(current)) }] : []),
    ...(rowKeys?.(current) ?? []),
    ...(selection ? [{ keys: 'x', label: 'Select the row', run: () => current && toggle(rowId(current)) }] : []),
  ]);

  const openFromClick = (e: MouseEvent, row: T) => {
    const target = e.target as HTMLElement;
    // Clicks in portals (menus) and on controls are not clicks on the row; marking text is not one either.
    if (!e.currentTarget.contains(target) || target.closest('a, button, input, label') || window.getSelection()?.toString()) return;
    putOn(row);
    const inNewTab = e.ctrlKey || e.metaKey || e.button === 1;
    const to = href?.(row);
    if (to && inNewTab) window.open(to, '_blank', 'noopener');
    else if (e.button === 0) onOpen?.(row);
  };

  if (props.error && !rows) return <ErrorState title={props.errorTitle} error={props.error} onRetry={props.onRetry} />;
  if (rows?.length === 0) return <>{props.empty}</>;
  // Rows of other pages stay selected, and their number stays visible.
  const isSelecting = selection !== undefined && selection.ids.size > 0;
  const selectAll = selection && <SelectAll pageIds={rows?.map(rowId) ?? []} selection={selection} />;
  return (
    <div className="cp-tablebox">
      {isSelecting && (
        <div className="cp-bulk" role="toolbar" aria-label="Selected rows">
          {selectAll}
          {selection.bar}
        </div>
      )}
      <div className="cp-scroll">
        <Table className="cp-table" aria-label={label} aria-busy={!rows || stale} data-stale={stale || undefined}>
          <Head {...props} selectAll={isSelecting ? <span className="cp-hidden">Select</span> : selectAll} />
          <Table.Tbody ref={body}>
            {!rows && <Skeleton columns={columns} before={(detail ? 1 : 0) + (selection ? 1 : 0)} menu={Boolean(rowMenu)} />}
            {rows?.map((row) => {
              const id = rowId(row);
              return (
                <BodyRow
                  key={id}
                  {...props}
                  row={row}
                  isCurrent={row === current}
                  isSelected={selection?.ids.has(id) ?? false}
                  onSelect={() => toggle(id)}
                  isExpanded={expanded.has(id)}
                  onExpand={() => expand(id)}
                  onClick={(e) => openFromClick(e, row)}
                />
              );
            })}
          </Table.Tbody>
        </Table>
      </div>
    </div>
  );
}

/** The row that the keys act on. It is scrolled into view, and has the focus when a key has chosen it. */
function useRowCursor<T>({ rows, rowId, stale, toFirst = 0 }: Pick<Props<T>, 'rows' | 'rowId' | 'stale' | 'toFirst'>) {
  const [cursor, setCursor] = useState<{ id: string; at: number; byKey?: boolean } | null>(null);
  const body = useRef<HTMLTableSectionElement>(null);
  const found = rows?.findIndex((r) => rowId(r) === cursor?.id) ?? -1;
  // When the row has left the list, the one in its place is chosen.
  const at = found < 0 && cursor ? Math.min(cursor.at, (rows?.length ?? 0) - 1) : found;

  const move = (by: number) => {
    if (!rows?.length) return;
    const next = Math.min(Math.max(at + by, 0), rows.length - 1);
    setCursor({ id: rowId(rows[next]!), at: next, byKey: true });
  };
  useEffect(() => {
    const row = body.current?.querySelector<HTMLElement>('[data-cursor]');
    row?.scrollIntoView({ block: 'nearest' });
    // The previously focused element would take Enter for itself.
    if (cursor?.byKey) row?.focus({ preventScroll: true });
  }, [cursor]);
  const firstId = rows?.[0] && rowId(rows[0]);
  const [reached, reach] = useState(toFirst);
  if (toFirst > reached && !stale && firstId !== undefined) {
    reach(toFirst);
    setCursor({ id: firstId, at: 0, byKey: true });
  }
  return {
    current: at >= 0 ? rows![at]! : null,
    move,
    putOn: (row: T) => setCursor({ id: rowId(row), at: rows!.indexOf(row) }),
    body,
  };
}

function SelectAll({ pageIds, selection: { ids, onChange } }: { pageIds: string[]; selection: Selection }) {
  const picked = pageIds.filter((id) => ids.has(id)).length;
  const toggleAll = () => {
    const others = [...ids].filter((id) => !pageIds.includes(id));
    onChange(new Set(picked === pageIds.length ? others : [...others, ...pageIds]));
  };
  return (
    <Checkbox
      aria-label="Select all on this page"
      checked={pageIds.length > 0 && picked === pageIds.length}
      indeterminate={picked > 0 && picked < pageIds.length}
      disabled={!pageIds.length}
      onChange={toggleAll}
    />
  );
}

type HeadProps<T> = Pick<Props<T>, 'columns' | 'order' | 'onSort' | 'rowMenu' | 'selection' | 'detail'> & { selectAll: ReactNode };

function Head<T>({ columns, order, onSort, rowMenu, selection, detail, selectAll }: HeadProps<T>) {
  return (
    <Table.Thead>
      <Table.Tr>
        {detail && (
          <Table.Th w={44}>
            <span className="cp-hidden">More</span>
          </Table.Th>
        )}
        {selection && <Table.Th w={44}>{selectAll}</Table.Th>}
        {columns.map((c) => (
          <Table.Th
            key={c.key}
            w={c.width}
            className={dropClass(c)}
            ta={c.align}
            aria-label={c.help && c.title}
            aria-sort={order?.by === c.key ? (order.dir === 'asc' ? 'ascending' : 'descending') : undefined}
          >
            {c.sortable && onSort ? (
              <SortButton title={c.title} sort={order?.by === c.key ? order.dir : null} onClick={() => onSort(c.key)} />
            ) : (
              c.title
            )}
            {c.help && <HelpTip text={c.help} />}
            {c.filter}
          </Table.Th>
        ))}
        {rowMenu && (
          <Table.Th w={48}>
            <span className="cp-hidden">Actions</span>
          </Table.Th>
        )}
      </Table.Tr>
    </Table.Thead>
  );
}

type RowProps<T> = Pick<
  Props<T>,
  'columns' | 'rowName' | 'onOpen' | 'href' | 'rowMenu' | 'selection' | 'isUnread' | 'isMuted' | 'detail'
> & {
  row: T;
  isCurrent: boolean;
  isSelected: boolean;
  onSelect: () => void;
  isExpanded: boolean;
  onExpand: () => void;
  onClick: (e: MouseEvent) => void;
};

/** A row, and its details where they are expanded. */
function BodyRow<T>({ row, columns, rowName, href, rowMenu, selection, detail, isExpanded, ...props }: RowProps<T>) {
  const to = href?.(row);
  const nameColumn = (columns.find((c) => c.primary) ?? columns[0])?.key;
  return (
    <>
      <Table.Tr
        data-unread={props.isUnread?.(row) || undefined}
        data-muted={props.isMuted?.(row) || undefined}
        data-sel={props.isSelected || undefined}
        data-cursor={props.isCurrent || undefined}
        tabIndex={-1}
        data-opens={props.onOpen || to ? true : undefined}
        onClick={props.onClick}
        onAuxClick={props.onClick}
      >
        {detail && (
          <Table.Td>
            <ExpandButton name={rowName(row)} isOpen={isExpanded} onClick={props.onExpand} />
          </Table.Td>
        )}
        {selection && (
          <Table.Td>
            <Checkbox aria-label={`Select ${rowName(row)}`} checked={props.isSelected} onChange={props.onSelect} />
          </Table.Td>
        )}
        {columns.map((c) => (
          <Table.Td
            key={c.key}
            className={`${dropClass(c)} ${c.primary ? 'p' : ''} ${c.numeric ? 'cp-num' : ''}`}
            ta={c.align}
            title={c.text?.(row)}
          >
            <RowLink to={c.key === nameColumn ? to : undefined}>{cellOf(c, row)}</RowLink>
          </Table.Td>
        ))}
        {rowMenu && (
          <Table.Td className="i">
            <MoreMenu label={`Actions for ${rowName(row)}`}>{rowMenu(row)}</MoreMenu>
          </Table.Td>
        )}
      </Table.Tr>
      {detail && isExpanded && (
        <Table.Tr data-detail>
          <Table.Td colSpan={columns.length + (selection ? 1 : 0) + (rowMenu ? 1 : 0) + 1}>{detail(row)}</Table.Td>
        </Table.Tr>
      )}
    </>
  );
}

const RowLink = ({ to, children }: { to: string | undefined; children: ReactNode }) =>
  to ? (
    <AppLink href={to} className="cp-rowlink">
      {children}
    </AppLink>
  ) : (
    children
  );

function SortButton({ title, sort, onClick }: { title: string; sort: 'asc' | 'desc' | null; onClick: () => void }) {
  return (
    <UnstyledButton className="cp-sort" data-on={sort ? true : undefined} onClick={onClick}>
      {title}
      {sort === 'desc' && <IconArrowDown size={14} stroke={2} aria-hidden />}
      {sort === 'asc' && <IconArrowUp size={14} stroke={2} aria-hidden />}
      {sort === null && <IconArrowsSort size={13} stroke={1.6} aria-hidden />}
    </UnstyledButton>
  );
}

function Skeleton<T>({ columns, before, menu }: { columns: Column<T>[]; before: number; menu: boolean }) {
  return Array.from({ length: 12 }, (_, i) => (
    <Table.Tr key={String(i)} aria-hidden>
      {before > 0 && <Table.Td colSpan={before} />}
      {columns.map((c, j) => (
        <Table.Td key={c.key} className={dropClass(c)}>
          <div className="cp-bone" style={{ width: `${78 - ((i * 13 + j * 29) % 44)}%`, opacity: 1 - i * 0.06 }} />
        </Table.Td>
      ))}
      {menu && <Table.Td />}
    </Table.Tr>
  ));
}

export const ExpandButton = ({ name, isOpen, onClick }: { name: string; isOpen: boolean; onClick: () => void }) => (
  <ActionIcon size={28} aria-expanded={isOpen} aria-label={`More about ${name}`} onClick={onClick}>
    <IconChevronRight size={16} stroke={1.8} className="cp-turn" data-open={isOpen || undefined} />
  </ActionIcon>
);
