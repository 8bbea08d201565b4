import { useQuery } from '@tanstack/react-query';
import type { ChartCapability, ChartConnection, ChartFiling } from '@/api/types';
import { now } from '@/shared/clock';
import { formatTime } from '@/shared/format';
import { connectedQuery } from './api';

/** How often connections are read again while one is failing. */
const AGAIN_MS = 60_000;

const TAKES_DOCUMENTS: readonly ChartCapability[] = ['documentUpload', 'documentSend'];

/** The connected systems. Without an EHR, nothing can be done in a chart, and screens show no button for it. */
export function useChart() {
  const { data, isPending, isError, refetch } = useQuery({
    ...connectedQuery,
    refetchInterval: ({ state }) => (state.data?.some((c) => c.state === 'Failing') ? AGAIN_MS : false),
  });
  const all = data ?? [];
  /** The connection that can do this: that of the patient, or otherwise the first that answers. */
  const connection = (capability: ChartCapability, integrationId?: string | null): ChartConnection | undefined => {
    const able = all.filter((c) => c.capabilities.includes(capability) && (!integrationId || c.integrationId === integrationId));
    return able.find((c) => !chartNote(c)) ?? able[0];
  };
  return {
    connection,
    /** Systems without charts that get documents. */
    services: all.filter((c) => c.capabilities.includes('documentSend')),
    /** The system of a document that was filed or sent there, while it is connected. */
    connectionOf: ({ integrationId }: Pick<ChartFiling, 'integrationId'>) =>
      all.find((c) => c.integrationId === integrationId && TAKES_DOCUMENTS.some((capability) => c.capabilities.includes(capability))),
    isLoading: isPending,
    hasFailed: isError && !data,
    reload: () => void refetch(),
  };
}

/** Why a connection cannot be used at the moment; nothing if it can. Once the pause is over, the next call is the next try. */
export function chartNote({ name, state, nextTryAt }: ChartConnection): string | undefined {
  if (state !== 'Failing' || !nextTryAt || Date.parse(nextTryAt) <= now().getTime()) return undefined;
  return `${name} is not available. Next try at ${formatTime(nextTryAt)}.`;
}
