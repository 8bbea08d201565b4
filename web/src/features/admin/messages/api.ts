import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '@/api/client';
import { $api } from '@/api/query';
import type { ODataMessage } from '@/api/types';
import { COUNT_CAP } from './rules';

export const MESSAGES = '/odata/mailmessages';

type Row = ODataMessage & { id: string };

/** A page of the messages of all organizations, the newest first; drafts are not among them. */
export function useMessages(page: number, size: number) {
  const options = $api.queryOptions('get', MESSAGES, {
    params: {
      query: {
        $filter: 'IsDraft eq false',
        $orderby: 'MailMessageId desc',
        $top: size,
        $skip: (page - 1) * size,
        $count: true,
      },
    },
  });
  const query = useQuery({ ...options, placeholderData: keepPreviousData, meta: { page: true } });
  const items: Row[] | undefined = query.data?.value.map((row) => ({ ...row, id: String(row.MailMessageId) }));
  const totalCount = query.data?.['@odata.count'] ?? 0;
  return { ...query, data: items && { items, totalCount, totalIsCapped: totalCount >= COUNT_CAP } };
}

export const attachmentsQuery = (id: number) =>
  $api.queryOptions('get', '/odata/mailmessages/{id}/MailAttachments', { params: { path: { id } } });

export const CONVERSIONS = 5;
/** How long conversions of a file took, five a page. */
export const conversionsQuery = (attachmentId: number, page: number) =>
  $api.queryOptions('get', '/odata/conversionperformance', {
    params: {
      query: { $filter: `MailAttachmentId eq ${attachmentId}`, $top: CONVERSIONS, $skip: (page - 1) * CONVERSIONS, $count: true },
    },
  });

/** What may name a patient. The organization finds the reason in its audit trail. */
export const namesOf = (messageId: string, reason: string) =>
  unwrap(api.POST('/api/admin/messages/{id}/names', { params: { path: { id: messageId } }, body: { reason } }));
