import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { queryOf, reshaped } from '@/api/query';
import type { NetworkFeature } from '@/api/types';
import { FRESH_REFERENCE_MS } from './queryClient';
import { useProfile } from './session';

/** The features of a network, kept per network. */
export const networkFeaturesQuery = (id: string) =>
  queryOptions({
    ...reshaped(queryOf('get', '/api/networks/{id}/features', { params: { path: { id } } }), ({ features }) => features),
    staleTime: FRESH_REFERENCE_MS,
  });

/** Names of the enabled features, child features included. */
const enabledNames = (features: readonly NetworkFeature[]): string[] =>
  features.flatMap((f) => [...(f.isEnabled ? [f.name] : []), ...enabledNames(f.childNetworkFeatures)]);

/** Whether every required feature is enabled, child features included. */
export function hasNetworkFeatures(features: readonly NetworkFeature[], required: readonly string[]): boolean {
  const enabled = new Set(enabledNames(features));
  return required.every((name) => enabled.has(name));
}

type Props = { required: readonly string[]; children: ReactNode };

/** Shows its content to administrators of a network in which every required feature is enabled, and to nobody else. */
export function NetworkFeatures({ required, children }: Props) {
  const id = useProfile().administerOfNetworkObjectId;
  const features = useQuery({ ...networkFeaturesQuery(id ?? ''), enabled: Boolean(id) }).data;
  return id && features && hasNetworkFeatures(features, required) ? <>{children}</> : null;
}
