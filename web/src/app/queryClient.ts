import {
  type InvalidateOptions,
  type InvalidateQueryFilters,
  MutationCache,
  QueryCache,
  QueryClient,
  type QueryKey,
} from '@tanstack/react-query';
import { busy } from '@/api/busy';
import { ApiError } from '@/api/client';
import { NotSignedIn } from '@/api/token';
import { reportError } from '@/shared/errors';

declare module '@tanstack/react-query' {
  interface Register {
    /** `page`: if this query is refused, so is the page. */
    queryMeta: { page?: boolean };
    /** `ownErrors`: the caller shows every failure itself. */
    mutationMeta: { ownErrors?: boolean };
  }
}

/** Time for which lists and reference data count as fresh. */
export const FRESH_LIST_MS = 60_000;
export const FRESH_REFERENCE_MS = 6_000_000;

/**
 * TanStack Query lets a first read continue when its query is invalidated, and treats its answer as fresh although it may be
 * outdated. Here it is shown and read once more.
 */
class FreshQueryClient extends QueryClient {
  override async invalidateQueries<K extends QueryKey = QueryKey>(filters?: InvalidateQueryFilters<K>, options?: InvalidateOptions) {
    const first =
      filters?.refetchType === 'none'
        ? []
        : this.getQueryCache()
            .findAll({ ...filters, type: 'active', fetchStatus: 'fetching' })
            .filter((query) => query.state.data === undefined);
    const again = first.map((query) =>
      query.fetch().then(
        () => super.invalidateQueries({ queryKey: query.queryKey, exact: true }),
        () => {},
      ),
    );
    await Promise.all([super.invalidateQueries(filters, options), ...again]);
  }
}

/** The page is busy during reads and changes, also between the attempts of a call. */
function markBusy(client: QueryClient) {
  let done: (() => void) | undefined;
  const look = () => {
    if (client.isFetching() + client.isMutating() > 0) done ??= busy();
    else {
      done?.();
      done = undefined;
    }
  };
  client.getQueryCache().subscribe(look);
  client.getMutationCache().subscribe(look);
}

export function createQueryClient({ onRefusedPage }: { onRefusedPage: () => unknown }) {
  const client = new FreshQueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        if (error instanceof NotSignedIn) reportError(error);
        // A refused address leads to a page of its own, and terms to a dialog: see the session.
        else if (error instanceof ApiError && error.isRefused && !error.isAddressRefused && !error.isTermsRequired && query.meta?.page)
          void onRefusedPage();
      },
    }),
    mutationCache: new MutationCache({
      onError: (error, _variables, _context, mutation) => {
        if (!mutation.meta?.ownErrors || error instanceof NotSignedIn) reportError(error);
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: FRESH_LIST_MS,
        retry: (count, error) => !(error instanceof NotSignedIn) && !(error instanceof ApiError && error.status < 500) && count < 2,
      },
    },
  });
  markBusy(client);
  return client;
}
