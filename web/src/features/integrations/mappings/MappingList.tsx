import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { EhrMapping } from '@/api/types';
import { assignableQuery } from '@/domain/messaging/api';
import { ChoicesFailed } from '@/shared/ui/blocks';
import { MappingLine } from './MappingLine';
import { isFound, type Kind, keyOf, type Mappings } from './useMappings';

/** Lines that are shown at once. */
const STEP = 50;

type Props = { title: string; kind: Kind; items: EhrMapping[]; mappings: Mappings };

/** The people or the groups of an EHR: those without anybody first. */
export function MappingList({ title, kind, items, mappings }: Props) {
  const [words, setWords] = useState('');
  const [most, setMost] = useState(STEP);
  const people = useQuery(assignableQuery);
  const found = items.filter((item) => isFound(item, words.trim()));
  const suggested = mappings.suggested(kind).length;
  if (items.length === 0)
    return (
      <p className="cp-second int-line">{kind === 'Person' ? 'The EHR has no people who review documents.' : 'The EHR has no groups.'}</p>
    );
  return (
    <>
      <div className="int-search">
        <TextInput
          size="md"
          className="cp-grow"
          aria-label={`Search ${title.toLowerCase()}`}
          placeholder="Part of a name, or a number"
          autoComplete="off"
          maxLength={255}
          data-autofocus
          value={words}
          onChange={(e) => setWords(e.currentTarget.value)}
        />
        {suggested > 0 && (
          <Button size="md" variant="default" onClick={() => mappings.acceptAll(kind)}>
            Accept all suggestions ({suggested})
          </Button>
        )}
      </div>
      <ChoicesFailed of={[people]} />
      {found.length === 0 && (
        <p className="cp-second int-line" role="status">
          Nobody matches.
        </p>
      )}
      <ul className="int-mappings" aria-label={title}>
        {found.slice(0, most).map((item) => (
          <MappingLine key={keyOf(item)} item={item} mappings={mappings} colleagues={people.data ?? []} isLoading={people.isPending} />
        ))}
      </ul>
      {found.length > most && (
        <Button size="sm" variant="default" onClick={() => setMost(most + STEP)}>
          Show more ({found.length - most})
        </Button>
      )}
    </>
  );
}
