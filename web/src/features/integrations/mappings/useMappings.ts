import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { refreshOnly } from '@/api/query';
import type { EhrMapping } from '@/api/types';
import { mappingsQuery, saveMappings } from './api';

export type Kind = EhrMapping['kind'];

export const keyOf = ({ kind, externalId }: Pick<EhrMapping, 'kind' | 'externalId'>) => `${kind} ${externalId}`;
const savedIds = ({ users }: EhrMapping) => users.map(({ id }) => id);
const isSame = (one: readonly string[], other: readonly string[]) => one.length === other.length && one.every((id) => other.includes(id));

/** Every word is in the name in the EHR, its number or the name of a colleague. */
export function isFound({ externalName, userName, users, suggestion }: EhrMapping, words: string) {
  const text = [externalName, userName, ...users.map(({ name }) => name), suggestion?.name ?? ''].join(' ').toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Who the people and groups of an EHR are here, and what was changed and is not saved yet. */
export function useMappings(integrationId: string) {
  const client = useQueryClient();
  const options = mappingsQuery(integrationId);
  const query = useQuery(options);
  const [drafts, setDrafts] = useState<Readonly<Record<string, string[]>>>({});
  const items = query.data?.items ?? [];
  const idsOf = (item: EhrMapping) => drafts[keyOf(item)] ?? savedIds(item);
  /** A mapping to somebody who no longer works here names nobody, and is removed all the same. */
  const isRemoved = (item: EhrMapping) => item.isGone && drafts[keyOf(item)]?.length === 0;
  const isChanged = (item: EhrMapping) => isRemoved(item) || !isSame(idsOf(item), savedIds(item));
  const changed = items.filter(isChanged);
  const suggested = (kind: Kind) => items.filter((item) => item.kind === kind && item.suggestion && idsOf(item).length === 0);
  const put = (chosen: (readonly [EhrMapping, string[]])[]) =>
    setDrafts((before) => ({ ...before, ...Object.fromEntries(chosen.map(([item, ids]) => [keyOf(item), ids])) }));
  return {
    query,
    items,
    isCut: query.data?.isCut ?? false,
    idsOf,
    isChanged,
    isRemoved,
    changed,
    suggested,
    /** Keeps a line as it is saved. */
    keep: (item: EhrMapping) => setDrafts((before) => Object.fromEntries(Object.entries(before).filter(([key]) => key !== keyOf(item)))),
    choose: (item: EhrMapping, ids: string[]) => put([[item, ids]]),
    acceptAll: (kind: Kind) => put(suggested(kind).map((item) => [item, [item.suggestion!.id]] as const)),
    /** Saves the changed lines. */
    save: async () => {
      const changes = changed.map((item) => ({ kind: item.kind, externalId: item.externalId, userIds: idsOf(item) }));
      const now = await saveMappings(integrationId, changes);
      if (now) client.setQueryData(options.queryKey, now);
      setDrafts({});
      void refreshOnly(client, '/api/integrations/identities/{userId}');
    },
  };
}
export type Mappings = ReturnType<typeof useMappings>;
