import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '@/api/client';
import { queryOf } from '@/api/query';
import type { ODataMessage } from '@/api/types';
import { COUNT_CAP } from './rules';

export const MESSAGES = '/odata/mailmessages';

type Row = ODataMessage & { id: string };

const LISTED = 'IsDraft eq false';

/**
 * A page of the messages of all organizations, the newest first; drafts are not among them. Beyond the counted pages, the cursor
 * is the number of the previous message.
 */
export function useMessages(page: number, size: number, cursor?: string) {
  const after = cursor && /^\d+$/.test(cursor) ? cursor : undefined;
  const options = queryOf('get', MESSAGES, {
    params: {
      query: {
        $filter: after ? `${LISTED} and MailMessageId lt ${after}` : LISTED,
        $orderby: 'MailMessageId desc',
        $top: size,
        $skip: after ? 0 : (page - 1) * size,
        $count: true,
      },
    },
  });
  const query = useQuery({ ...options, placeholderData: keepPreviousData, meta: { page: true } });
  const items: Row[] | undefined = query.data?.value.map((row) => ({ ...row, id: String(row.MailMessageId) }));
  const totalCount = after ? COUNT_CAP : (query.data?.['@odata.count'] ?? 0);
  const nextCursor = items?.length === size ? items.at(-1)!.id : null;
  return { ...query, data: items && { items, totalCount, totalIsCapped: totalCount >= COUNT_CAP, nextCursor } };
}

export const attachmentsQuery = (id: number) => queryOf('get', '/odata/mailmessages({id})/MailAttachments', { params: { path: { id } } });

export const CONVERSIONS = 5;
/** The conversion times of a file, five per page. */
export const conversionsQuery = (attachmentId: number, page: number) =>
  queryOf('get', '/odata/conversionperformance', {
    params: {
      query: { $filter: `MailAttachmentId eq ${attachmentId}`, $top: CONVERSIONS, $skip: (page - 1) * CONVERSIONS, $count: true },
    },
  });

/** Details that may name a patient. The reason is recorded in the organization's audit trail. */
export const namesOf = (messageId: string, reason: string) =>
  unwrap(api.POST('/api/admin/messages/{id}/names', { params: { path: { id: messageId } }, body: { reason } }));
