import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useViewport } from '@/shared/useViewport';
import { type Column, DataTable } from '@/shared/table/DataTable';
import { ListFooter } from '@/shared/table/ListFooter';
import type { useListState } from '@/shared/table/useListState';
import { AppLink } from '@/shared/ui/AppLink';
import { ErrorState } from '@/shared/ui/blocks';

type Answer<T> = {
  data?: { items: T[]; totalCount: number; totalIsCapped: boolean };
  error: Error | null;
  isPlaceholderData: boolean;
  refetch: () => unknown;
};
type Props<T> = {
  label: string;
  noun: string;
  query: Answer<T>;
  list: ReturnType<typeof useListState>;
  columns: Column<T>[];
  name: (row: T) => string;
  empty: ReactNode;
  onOpen?: (row: T) => void;
  /** Where the name leads to on phones. */
  href?: (row: T) => string;
  /** The second line on phones. */
  second: (row: T) => ReactNode;
  menu?: (row: T) => ReactNode;
};

/** A page of a list: a table, or cards on phones. */
export function PagedList<T extends { id: string }>({
  label,
  noun,
  query,
  list,
  columns,
  name,
  empty,
  onOpen,
  href,
  second,
  menu,
}: Props<T>) {
  const { isPhone } = useViewport();
  const rows = query.data?.items;
  const failed = `The ${noun} could not be loaded`;
  return (
    <>
      {isPhone ? (
        <Cards
          label={label}
          rows={rows}
          error={query.error}
          failed={failed}
          onRetry={() => void query.refetch()}
          {...{ name, empty, href, second, menu }}
        />
      ) : (
        <DataTable
          label={label}
          columns={columns}
          rows={rows}
          rowId={(row) => row.id}
          rowName={name}
          error={query.error}
          errorTitle={failed}
          onRetry={() => void query.refetch()}
          empty={empty}
          onOpen={onOpen}
          rowMenu={menu}
          stale={query.isPlaceholderData}
        />
      )}
      {query.data && rows && rows.length > 0 && (
        <ListFooter
          page={list.page}
          size={list.size}
          count={rows.length}
          total={query.data.totalCount}
          capped={query.data.totalIsCapped}
          onPage={list.setPage}
          onSize={list.setSize}
          noun={noun}
        />
      )}
    </>
  );
}

type CardsProps<T> = Pick<Props<T>, 'label' | 'name' | 'empty' | 'href' | 'second' | 'menu'> & {
  rows: T[] | undefined;
  error: Error | null;
  failed: string;
  onRetry: () => void;
};
function Cards<T extends { id: string }>({ label, rows, error, failed, onRetry, name, empty, href, second, menu }: CardsProps<T>) {
  if (error && !rows) return <ErrorState title={failed} error={error} onRetry={onRetry} />;
  if (rows?.length === 0) return <>{empty}</>;
  const lines = (row: T) => (
    <>
      <span className="cp-ell cp-strong">{name(row)}</span>
      <span className="cp-row cp-second">{second(row)}</span>
    </>
  );
  return (
    <ul className="cp-scroll adm-cards" aria-label={label} aria-busy={!rows}>
      {rows?.map((row) => (
        <li key={row.id} className="adm-cardrow">
          {href ? (
            <AppLink href={href(row)} className="adm-card">
              {lines(row)}
            </AppLink>
          ) : (
            <div className="adm-card">{lines(row)}</div>
          )}
          {menu && (
            <Menu>
              <Menu.Target>
                <ActionIcon size={44} aria-label={`Actions for ${name(row)}`}>
                  <IconDots size={20} stroke={1.6} />
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>{menu(row)}</Menu.Dropdown>
            </Menu>
          )}
        </li>
      ))}
      {!rows &&
        Array.from({ length: 6 }, (_, i) => (
          <li key={String(i)} className="adm-card" aria-hidden>
            <div className="cp-bone" style={{ width: '60%' }} />
            <div className="cp-bone" style={{ width: '40%' }} />
          </li>
        ))}
    </ul>
  );
}
