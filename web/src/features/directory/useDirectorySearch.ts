import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { api, unwrap } from '@/api/client';
import type { DirectoryResult } from '@/api/types';

const PAGE_SIZE = 10;

export type Criteria = { firstName: string; lastName: string; organizationName: string; city: string; state: string; zip: string };
export const NO_CRITERIA: Criteria = { firstName: '', lastName: '', organizationName: '', city: '', state: '', zip: '' };

export type ListName = 'providers' | 'organizations';
type ResultList = { entries: DirectoryResult[]; total: number; page: number };
type Results = Record<ListName, ResultList>;

const ask = (criteria: Criteria, pages: Record<ListName, number>) =>
  unwrap(
    api.POST('/api/directory/search', {
      body: { ...criteria, providerPageStart: pages.providers, organizationPageStart: pages.organizations, pageSize: PAGE_SIZE },
    }),
  );

/** A search of the directory: both lists begin on page 1, then each goes on by itself. */
export function useDirectorySearch() {
  const [results, setResults] = useState<Results | null>(null);
  const asked = useRef<Criteria>(NO_CRITERIA);

  const search = useMutation({
    mutationFn: (criteria: Criteria) => {
      asked.current = criteria;
      return ask(criteria, { providers: 1, organizations: 1 });
    },
    onSuccess: (answer, criteria) => {
      if (asked.current !== criteria) return;
      setResults({
        providers: { entries: answer.providers, total: answer.totalProvidersCount, page: 1 },
        organizations: { entries: answer.organizations, total: answer.totalOrganizationsCount, page: 1 },
      });
    },
    meta: { ownErrors: true },
  });

  const more = useMutation({
    mutationFn: async (list: ListName) => {
      const criteria = asked.current;
      const page = (results?.[list].page ?? 0) + 1;
      const answer = await ask(criteria, { providers: 1, organizations: 1, [list]: page });
      const total = list === 'providers' ? answer.totalProvidersCount : answer.totalOrganizationsCount;
      return { criteria, page, found: answer[list], total };
    },
    onSuccess: ({ criteria, page, found, total }, list) => {
      if (asked.current !== criteria) return;
      // A total is counted no further than the next page.
      setResults((shown) => shown && { ...shown, [list]: { entries: [...shown[list].entries, ...found], total, page } });
    },
  });

  return {
    results,
    search,
    /** Reads on, if there is more than is shown. */
    readOn: (list: ListName) => {
      const shown = results?.[list];
      if (shown && shown.entries.length < shown.total && !more.isPending && !search.isPending) more.mutate(list);
    },
    isReadingOn: more.isPending,
    isStuck: more.isError,
  };
}
