import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { IconX } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { formatCount } from '../format';

const none: ReadonlySet<string> = new Set();

/** Page size while the ids of a list are gathered. */
export const GATHER_SIZE = 100;
type Page = { items: { id: string }[]; nextCursor?: string | null };

/** The ids of all rows that match, in the order of the list, at the most `limit`. `read` answers `GATHER_SIZE` rows. */
export async function gatherIds(limit: number, read: (page: number, cursor: string | undefined) => Promise<Page>): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  for (let page = 1; ids.length < limit; page++) {
    const { items, nextCursor } = await read(page, cursor);
    ids.push(...items.map((row) => row.id));
    if (items.length < GATHER_SIZE) break;
    cursor = nextCursor ?? undefined;
  }
  return ids.slice(0, limit);
}

/**
 * The selected rows of a list, over its pages. `filters` identifies the list's content: other filters show other rows, so the
 * selection is cleared.
 */
export function useSelection(filters: string) {
  const [chosen, choose] = useState({ filters, ids: none, isAll: false });
  const isCurrent = chosen.filters === filters;
  const ids = isCurrent ? chosen.ids : none;
  const onChange = (next: ReadonlySet<string>) => choose({ filters, ids: next, isAll: false });
  /** All matching rows are selected, more than can be picked individually. */
  const meanAll = () => choose({ filters, ids, isAll: true });
  /** The row has left the list. */
  const drop = (id: string) => {
    if (ids.has(id)) onChange(new Set([...ids].filter((other) => other !== id)));
  };
  return { ids, list: [...ids], isAll: isCurrent && chosen.isAll, onChange, meanAll, drop, clear: () => onChange(none) };
}

type BarProps = {
  selection: ReturnType<typeof useSelection>;
  /** The number of matching rows; undefined while unknown. */
  total: number | undefined;
  isCapped?: boolean;
  /** Maximum number of individually selected rows; larger acts run in the background. */
  limit: number;
  /** Reads the ids of all that match, up to the limit. */
  all: () => Promise<string[]>;
  /** The acts. */
  children: ReactNode;
};

/** The actions on the selected rows, their number, and buttons to select all or none. */
export function SelectionBar({ selection, total, isCapped, limit, all, children }: BarProps) {
  const selectAll = useMutation({ mutationFn: all, onSuccess: (ids) => selection.onChange(new Set(ids)) });
  const isOver = total !== undefined && (total > limit || (isCapped && total >= limit));
  return (
    <>
      <b className="cp-strong cp-num cp-picked">
        {selection.isAll ? `All ${formatCount(total ?? 0, isCapped)} selected` : `${formatCount(selection.ids.size)} selected`}
      </b>
      {children}
      <div className="cp-grow" />
      {total !== undefined && !selection.isAll && selection.ids.size < total && (
        <Button variant="subtle" loading={selectAll.isPending} onClick={() => (isOver ? selection.meanAll() : selectAll.mutate())}>
          Select all {formatCount(total, isCapped)}
        </Button>
      )}
      <Tooltip label="Clear selection">
        <ActionIcon size={28} aria-label="Clear selection" onClick={selection.clear}>
          <IconX size={16} stroke={1.6} />
        </ActionIcon>
      </Tooltip>
    </>
  );
}
