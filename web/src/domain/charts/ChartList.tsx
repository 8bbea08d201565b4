import { Loader } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ChartConnection } from '@/api/types';
import { ChartFailure } from './ChartFailure';

type Props<T> = {
  connection: ChartConnection;
  query: UseQueryResult<T[]>;
  /** Title of the failure. */
  failed: string;
  empty: string;
  children: (rows: T[]) => ReactNode;
};

/** A list that is read from the chart, with its states. */
export function ChartList<T>({ connection, query, failed, empty, children }: Props<T>) {
  if (query.error && !query.isFetching)
    return <ChartFailure connection={connection} title={failed} error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <Loader size={20} role="status" aria-label="Loading" />;
  if (query.data.length === 0)
    return (
      <p className="cp-second" role="status">
        {empty}
      </p>
    );
  return children(query.data);
}
