import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { quiet } from '@/api/client';
import { $api } from '@/api/query';
import { ChoicesFailed } from '../ui/blocks';
import type { Field } from './fields';
import { ListSelect } from './inputs';

const SEARCH_DELAY_MS = 300;

type Props = Omit<Parameters<typeof ListSelect>[0], 'data' | 'onSearch'> & {
  /** The number of letters from which on it searches. */
  letters?: number;
};

/** Chooses among all organizations by the beginning of the name. */
export function OrganizationSelect({ letters = 1, ...props }: Props) {
  const [typed, setTyped] = useState('');
  const [words] = useDebouncedValue(typed.trim(), SEARCH_DELAY_MS);
  const choices = useQuery({
    ...$api.queryOptions('get', '/api/organizations', { params: { query: { search: words, pageNumber: 1, pageSize: 25 } }, ...quiet }),
    placeholderData: keepPreviousData,
    enabled: words.length >= letters,
  });
  const data = (words.length >= letters ? (choices.data?.items ?? []) : []).map((o) => ({
    value: o.id,
    label: `${o.name} (${o.subDomain})`,
  }));
  const isSearching = choices.isFetching || words !== typed.trim();
  return (
    <>
      <ChoicesFailed of={[choices]} />
      <ListSelect
        description="Type how its name begins, and choose it."
        data={data}
        onSearch={setTyped}
        nothingFoundMessage={typed.trim().length >= letters ? (isSearching ? 'Searching…' : 'No match') : undefined}
        {...props}
      />
    </>
  );
}

/** An organization, by its id. */
export const organizationField = (
  label = 'Organization',
  { letters, when }: { letters?: number } & Pick<Field<string | null>, 'when'> = {},
): Field<string | null> => ({
  label,
  when,
  required: 'Please choose an organization from the list.',
  initial: null,
  show: (value) => value ?? 'none',
  control: (props, bound) => <OrganizationSelect letters={letters} {...props} {...bound} />,
});
