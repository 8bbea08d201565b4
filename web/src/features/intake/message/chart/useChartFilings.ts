import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ChartFiling, Message } from '@/api/types';
import { isOfService, isRunning, refreshFiling } from '@/domain/charts/filings';
import { markOpen } from '../../trail';
import { filingsQuery, isInChart, retryFiling, takeBackFiling } from './api';

const AGAIN_MS = 2000;

/** The documents of the message in charts, read again while one is on its way. They stay known when the EHR is turned off. */
export function useChartFilings(message: Message, isConnected: boolean) {
  const { id } = message;
  const client = useQueryClient();
  const query = useQuery({
    ...filingsQuery(id),
    refetchInterval: ({ state }) => (state.data?.items.some(isRunning) ? AGAIN_MS : false),
  });
  const items: ChartFiling[] = query.data?.items ?? [];
  return {
    items,
    /** Why an intake rule did not file the message. */
    refusal: query.data?.refusal ?? undefined,
    // Without a connected system, hardly any message has some.
    error: query.data || !isConnected ? null : query.error,
    reload: () => void query.refetch(),
    /** The filing of a document that is in the chart, or on its way there. */
    of: (attachmentId: string) => items.find((f) => f.attachmentId === attachmentId && isInChart(f)),
    takeBack: async (filing: Pick<ChartFiling, 'id' | 'integrationType'>) => {
      await takeBackFiling(client, id, filing.id);
      // It is open again. Sending leaves it as it is.
      if (!isOfService(filing)) markOpen(id);
      void refreshFiling(client, id);
    },
    retry: async (filing: ChartFiling) => {
      await retryFiling(client, id, filing.id);
      void refreshFiling(client, id);
    },
  };
}
