import { useQuery } from '@tanstack/react-query';
import { chartTypesQuery } from './api';
import { useChart } from './useChart';

const none: string[] = [];

/** The document types to choose from: the EHR's first, if it has any, then the organization's own. */
export function useTypeNames(own: string[] = none): string[] {
  const connection = useChart().connection('documentTypeLookup');
  const types = useQuery({ ...chartTypesQuery(connection?.integrationId ?? ''), enabled: connection !== undefined });
  return [...new Set([...(types.data ?? []).map((type) => type.name), ...own])];
}
