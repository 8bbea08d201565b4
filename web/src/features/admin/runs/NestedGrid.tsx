import { Pagination } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { pageCount } from '@/shared/table/listSearch';
import { ErrorState } from '@/shared/ui/blocks';
import classes from './runs.module.css';

export const NESTED_SIZE = 5;

type Props<T> = {
  label: string;
  columns: { title: string; cell: (row: T) => ReactNode }[];
  query: { error: unknown; refetch: () => unknown };
  /** Of the page. */
  rows: T[] | undefined;
  total: number;
  page: number;
  onPage: (page: number) => void;
  rowId: (row: T) => string;
  /** Shown below a row. */
  below?: (row: T) => ReactNode;
  empty: string;
};

type Pages = { label: string; total: number; page: number; onPage: (page: number) => void };

/** The pages of a table within a row, where there are several. */
export function NestedPages({ label, total, page, onPage }: Pages) {
  const pages = pageCount(total, NESTED_SIZE);
  if (pages < 2) return null;
  return (
    <Pagination
      size="xs"
      total={pages}
      value={page}
      onChange={onPage}
      getControlProps={(control) => ({ 'aria-label': control === 'previous' ? 'Previous page' : 'Next page' })}
      getItemProps={(n) => ({ 'aria-label': `Page ${n} of ${label}` })}
    />
  );
}

/** A small table within a row, five rows a page. */
export function NestedGrid<T>({ label, columns, query, rows, total, page, onPage, rowId, below, empty }: Props<T>) {
  if (query.error && !rows)
    return <ErrorState title={`${label} could not be loaded`} error={query.error} onRetry={() => void query.refetch()} />;
  if (!rows)
    return (
      <div role="status" aria-label="Loading">
        <div className="cp-bone" style={{ width: '60%' }} />
      </div>
    );
  if (total === 0) return <p className="cp-muted">{empty}</p>;
  return (
    <>
      <div className={classes.scroll} tabIndex={0} role="region" aria-label={`Table of ${label.toLowerCase()}`}>
        <table className={classes.steps} aria-label={label}>
          <thead>
            <tr>
              {columns.map(({ title }) => (
                <th key={title}>{title}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Fragment key={rowId(row)}>
                <tr>
                  {columns.map(({ title, cell }) => (
                    <td key={title}>{cell(row)}</td>
                  ))}
                </tr>
                {below && (
                  <tr className={classes.attempt}>
                    <td colSpan={columns.length}>{below(row)}</td>
                  </tr>
                )}
              </Fragment>
            ))}
          </tbody>
        </table>
      </div>
      <NestedPages label={label.toLowerCase()} total={total} page={page} onPage={onPage} />
    </>
  );
}
