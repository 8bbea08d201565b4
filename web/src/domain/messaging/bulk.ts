import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '@/api/client';
import type { BulkAct } from '@/api/types';
import { bulk } from '@/shared/bulk';
import { refreshIntake } from './api';

type Bulk = {
  act: BulkAct;
  ids: string[];
  acceptsGaps?: boolean;
  userId?: string | null;
  urgent?: boolean;
  until?: string | null;
  documentType?: string;
};

/** Performs one act on many messages. */
export const bulkMessages = ({ act, ids, acceptsGaps = false, ...rest }: Bulk) =>
  bulk(ids, (part) => unwrap(api.POST('/api/messages/bulk', { body: { act, ids: part, acceptsGaps, ...rest } })));

/** The same, then refetches a list, by default the Intake. An act can be undone before the list arrives. */
export function useBulk(refresh: (client: QueryClient) => Promise<void> = refreshIntake) {
  const client = useQueryClient();
  return useMutation({ mutationFn: bulkMessages, onSettled: () => void refresh(client) });
}
