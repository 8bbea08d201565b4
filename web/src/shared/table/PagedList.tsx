import './cards.css';
import { UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { AppLink } from '../ui/AppLink';
import { ErrorState } from '../ui/blocks';
import { MoreMenu } from '../ui/MoreMenu';
import { useViewport } from '../useViewport';
import { type Column, DataTable, ExpandButton, type Expansion, toggled, useExpansion } from './DataTable';
import { ListFooter } from './ListFooter';
import type { SortState } from './listSearch';
import { useExistingPage, type useListState } from './useListState';

type Answer<T> = {
  /** With a cursor where rows beyond the last page that can be counted are reached by one. */
  data?: { items: T[]; totalCount: number; totalIsCapped: boolean; nextCursor?: string | null };
  error: unknown;
  isPlaceholderData: boolean;
  refetch: () => unknown;
};
type Props<T> = {
  label: string;
  noun: string;
  /** Shown when the list could not be loaded. */
  failed?: string;
  query: Answer<T>;
  list: ReturnType<typeof useListState>;
  columns: Column<T>[];
  name: (row: T) => string;
  empty: ReactNode;
  order?: SortState;
  onSort?: (key: string) => void;
  onOpen?: (row: T) => void;
  /** The link of the name, for rows that have a page. */
  href?: (row: T) => string | undefined;
  /** After the name on phones. */
  badge?: (row: T) => ReactNode;
  /** The second line on phones. */
  second: (row: T) => ReactNode;
  menu?: (row: T) => ReactNode;
  /** Details that expand below a row. */
  detail?: (row: T) => ReactNode;
  /** Which rows show their details, where the screen decides that. */
  expansion?: Expansion;
  /** Shown less prominently. */
  isMuted?: (row: T) => boolean;
  /** The number of page links of a group. */
  links?: number;
};

/** A page of a list: a table, or cards on phones. */
export function PagedList<T extends { id: string }>({
  label,
  noun,
  failed = `The ${noun} could not be loaded`,
  query,
  list,
  columns,
  name,
  empty,
  order,
  onSort,
  onOpen,
  href,
  badge,
  second,
  menu,
  detail,
  expansion,
  isMuted,
  links,
}: Props<T>) {
  const { isPhone } = useViewport();
  const { data, isPlaceholderData } = query;
  const isGone = useExistingPage(list, { rows: data?.items, total: data?.totalCount, isPlaceholder: isPlaceholderData });
  const rows = isGone ? undefined : data?.items;
  return (
    <>
      {isPhone ? (
        <Cards
          label={label}
          rows={rows}
          error={query.error}
          failed={failed}
          onRetry={() => void query.refetch()}
          {...{ name, empty, href, onOpen, badge, second, menu, detail, expansion, isMuted }}
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
          order={order}
          onSort={onSort}
          onOpen={onOpen}
          href={href}
          rowMenu={menu}
          detail={detail}
          expansion={expansion}
          isMuted={isMuted}
          stale={isPlaceholderData}
        />
      )}
      {data && rows && rows.length > 0 && (
        <ListFooter
          page={list.page}
          size={list.size}
          count={rows.length}
          total={data.totalCount}
          capped={data.totalIsCapped}
          nextCursor={data.nextCursor}
          onPage={list.setPage}
          onSize={list.setSize}
          sizes={list.sizes}
          links={links}
          noun={noun}
        />
      )}
    </>
  );
}

type CardsProps<T> = Pick<
  Props<T>,
  'label' | 'name' | 'empty' | 'href' | 'onOpen' | 'badge' | 'second' | 'menu' | 'detail' | 'expansion' | 'isMuted'
> & {
  rows: T[] | undefined;
  error: unknown;
  failed: string;
  onRetry: () => void;
};

function Card({ to, onOpen, children }: { to?: string; onOpen?: () => void; children: ReactNode }) {
  if (to)
    return (
      <AppLink href={to} className="cp-card">
        {children}
      </AppLink>
    );
  if (onOpen)
    return (
      <UnstyledButton className="cp-card" onClick={onOpen}>
        {children}
      </UnstyledButton>
    );
  return <div className="cp-card">{children}</div>;
}

function Cards<T extends { id: string }>({
  label,
  rows,
  error,
  failed,
  onRetry,
  name,
  empty,
  href,
  onOpen,
  badge,
  second,
  menu,
  detail,
  expansion,
  isMuted,
}: CardsProps<T>) {
  const { ids: expanded, onChange: setExpanded } = useExpansion(expansion);
  if (error && !rows) return <ErrorState title={failed} error={error} onRetry={onRetry} />;
  if (rows?.length === 0) return <>{empty}</>;
  const lines = (row: T) => (
    <>
      <span className="cp-row">
        <span className="cp-ell cp-grow cp-strong">{name(row)}</span>
        {badge?.(row)}
      </span>
      <span className="cp-row cp-second">{second(row)}</span>
    </>
  );
  return (
    <ul className="cp-scroll cp-cards" aria-label={label} aria-busy={!rows}>
      {rows?.map((row) => (
        <li key={row.id} className="cp-cardrow" data-muted={isMuted?.(row) || undefined}>
          {detail && <ExpandButton name={name(row)} isOpen={expanded.has(row.id)} onClick={() => setExpanded(toggled(expanded, row.id))} />}
          <Card to={href?.(row)} onOpen={onOpen && (() => onOpen(row))}>
            {lines(row)}
          </Card>
          {menu && (
            <MoreMenu isLarge label={`Actions for ${name(row)}`}>
              {menu(row)}
            </MoreMenu>
          )}
          {detail && expanded.has(row.id) && <div className="cp-carddetail">{detail(row)}</div>}
        </li>
      ))}
      {!rows &&
        Array.from({ length: 6 }, (_, i) => (
          <li key={String(i)} className="cp-card" aria-hidden>
            <div className="cp-bone" style={{ width: '60%' }} />
            <div className="cp-bone" style={{ width: '40%' }} />
          </li>
        ))}
    </ul>
  );
}
