import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ChartConnection, ChartFiling, Message } from '@/api/types';
import { refreshActivity, refreshIntake, refreshMessage } from '@/domain/messaging/api';
import { markOpen } from '../../trail';
import { filingsQuery, isInChart, isRunning, retryFiling, takeBackFiling } from './api';

const AGAIN_MS = 2000;

/** The documents of the message in charts, read again while one is on its way. They stay known when the EHR is turned off. */
export function useChartFilings(message: Message, connection: ChartConnection | undefined) {
  const { id } = message;
  const client = useQueryClient();
  const query = useQuery({
    ...filingsQuery(id),
    refetchInterval: ({ state }) => (state.data?.items.some(isRunning) ? AGAIN_MS : false),
  });
  const items: ChartFiling[] = query.data?.items ?? [];
  return {
    items,
    // Without an EHR, hardly any message has some.
    error: query.data || !connection ? null : query.error,
    reload: () => void query.refetch(),
    /** The filing of a document that is in the chart, or on its way there. */
    of: (attachmentId: string) => items.find((f) => f.attachmentId === attachmentId && isInChart(f)),
    takeBack: async (filing: ChartFiling) => {
      await takeBackFiling(client, id, filing.id);
      // It is open again.
      markOpen(id);
      void refreshMessage(client, id);
      void refreshIntake(client);
      void refreshActivity(client, id);
    },
    retry: (filing: ChartFiling) => retryFiling(client, id, filing.id),
  };
}
