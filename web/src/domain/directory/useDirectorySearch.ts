import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, unwrap } from '@/api/client';
import type { DirectoryResult } from '@/api/types';

const PAGE_SIZE = 10;

export type Criteria = { firstName: string; lastName: string; organizationName: string; city: string; state: string; zip: string };
export const NO_CRITERIA: Criteria = { firstName: '', lastName: '', organizationName: '', city: '', state: '', zip: '' };

export type ListName = 'providers' | 'organizations';
type ResultList = { entries: DirectoryResult[]; total: number; page: number };
/** Both lists and the search. */
type Results = Record<ListName, ResultList> & { criteria: Criteria };

const ask = (criteria: Criteria, pages: Record<ListName, number>) =>
  unwrap(
    api.POST('/api/directory/search', {
      body: { ...criteria, providerPageStart: pages.providers, organizationPageStart: pages.organizations, pageSize: PAGE_SIZE },
    }),
  );

/** A search of the directory: both lists start on page 1, and each loads further pages separately. */
export function useDirectorySearch() {
  const [results, setResults] = useState<Results | null>(null);

  const more = useMutation({
    mutationFn: async ({ list, criteria, page }: { list: ListName; criteria: Criteria; page: number }) => {
      const answer = await ask(criteria, { providers: 1, organizations: 1, [list]: page });
      return { found: answer[list], total: list === 'providers' ? answer.totalProvidersCount : answer.totalOrganizationsCount };
    },
    onSuccess: ({ found, total }, { list, criteria, page }) =>
      setResults((shown) => {
        if (shown?.criteria !== criteria || shown[list].page !== page - 1) return shown;
        // The total is counted only up to the next page.
        return { ...shown, [list]: { entries: [...shown[list].entries, ...found], total, page } };
      }),
  });

  const search = useMutation({
    mutationFn: (criteria: Criteria) => ask(criteria, { providers: 1, organizations: 1 }),
    onMutate: () => more.reset(),
    onSuccess: (answer, criteria) =>
      setResults({
        criteria,
        providers: { entries: answer.providers, total: answer.totalProvidersCount, page: 1 },
        organizations: { entries: answer.organizations, total: answer.totalOrganizationsCount, page: 1 },
      }),
    meta: { ownErrors: true },
  });

  const isOf = (list: ListName) => more.variables?.list === list;
  return {
    results,
    search,
    /** Loads the next page, if there is one. */
    readOn: (list: ListName) => {
      if (!results || more.isPending || search.isPending) return;
      const { entries, total, page } = results[list];
      if (entries.length < total) more.mutate({ list, criteria: results.criteria, page: page + 1 });
    },
    isReadingOn: (list: ListName) => more.isPending && isOf(list),
    isStuck: (list: ListName) => more.isError && isOf(list),
  };
}
