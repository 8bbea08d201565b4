import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { quiet } from '@/api/client';
import { queryOf } from '@/api/query';
import { ChoicesFailed } from '../ui/blocks';
import type { Field } from './fields';
import { ListSelect } from './inputs';
import { useDebounced } from '../debounce';

const SEARCH_DELAY_MS = 300;
/** Minimum number of letters to search. */
const LETTERS = 2;

type Props = Omit<Parameters<typeof ListSelect>[0], 'data' | 'onSearch'> & {
  /** The number of organizations that it offers. */
  count?: number;
};

/** Chooses among all organizations by words of their names. */
export function OrganizationSelect({ count = 25, ...props }: Props) {
  const [typed, setTyped] = useState('');
  const words = useDebounced(typed.trim(), SEARCH_DELAY_MS);
  const choices = useQuery({
    ...queryOf('get', '/api/organizations', {
      params: { query: { search: words, sortDir: 'asc', pageNumber: 1, pageSize: count } },
      ...quiet,
    }),
    placeholderData: keepPreviousData,
    enabled: words.length >= LETTERS,
  });
  const data = (words.length >= LETTERS ? (choices.data?.items ?? []) : []).map((o) => ({
    value: o.id,
    label: `${o.name} (${o.subDomain})`,
  }));
  const isSearching = choices.isFetching || words !== typed.trim();
  return (
    <>
      <ChoicesFailed of={[choices]} />
      <ListSelect
        description="Search by words of its name, and choose it."
        data={data}
        // The server finds words in any order.
        filter={({ options }) => options}
        onSearch={setTyped}
        nothingFoundMessage={typed.trim().length >= LETTERS ? (isSearching ? 'Searching…' : 'No match') : undefined}
        {...props}
      />
    </>
  );
}

/** An organization, by its id. */
export const organizationField = (
  label = 'Organization',
  { count, when }: { count?: number } & Pick<Field<string | null>, 'when'> = {},
): Field<string | null> => ({
  label,
  when,
  required: 'Please choose an organization from the list.',
  initial: null,
  show: (value) => value ?? 'none',
  control: (props, bound) => <OrganizationSelect count={count} {...props} {...bound} />,
});
