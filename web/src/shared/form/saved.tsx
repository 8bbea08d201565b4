import { useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode, useState } from 'react';
import type { QueryOf } from '@/api/query';
import { ErrorState } from '../ui/blocks';

/** Two placeholder lines until the values of a form are loaded. */
export function FormLoading() {
  return (
    <div className="cp-formload" role="status" aria-label="Loading">
      <div className="cp-bone" style={{ width: '30%' }} />
      <div className="cp-bone" style={{ width: '60%' }} />
    </div>
  );
}

type SavedProps<T> = {
  query: QueryOf<T>;
  /** The message when it cannot be loaded. */
  failed: string;
  /** Renders the form. `reload` starts over with the current values of the server. */
  children: (saved: T, reload: () => void) => ReactNode;
};

/** Shows a form once its current values are loaded. */
export function Saved<T>({ query: options, failed, children }: SavedProps<T>) {
  const query = useQuery(options);
  const [round, setRound] = useState(0);
  const isCurrent = query.data !== undefined && (!query.isFetching || query.isFetchedAfterMount);
  // A later fetch must not remove the form with its input.
  const [isShown, show] = useState(isCurrent);
  if (isCurrent && !isShown) show(true);
  if (query.error && !query.data) return <ErrorState title={failed} error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data || !isShown) return <FormLoading />;
  const reload = () => void query.refetch().then(() => setRound((r) => r + 1));
  return <Fragment key={round}>{children(query.data, reload)}</Fragment>;
}
