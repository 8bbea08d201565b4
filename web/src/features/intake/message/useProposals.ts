import { useQuery } from '@tanstack/react-query';
import { quiet } from '@/api/client';
import { queryOf } from '@/api/query';
import type { Message, ProposalBecause, Proposals } from '@/api/types';

/** Frequent choices of staff for similar messages. Without an answer there are none. */
export function useProposals(message: Message): Proposals {
  const { data } = useQuery({
    ...queryOf('get', '/api/messages/{id}/proposals', { params: { path: { id: message.id } }, ...quiet }),
    enabled: !message.isProcessed,
    staleTime: 60_000,
  });
  return (!message.isProcessed && data) || {};
}

/** The reason of a proposal: "14 of 15 documents from this sender". */
export function reason({ basis, word, matching, of }: ProposalBecause): string {
  const alike = {
    Sender: 'from this sender',
    Word: `with “${word}” in the subject`,
    SenderAndWord: `from this sender with “${word}” in the subject`,
  }[basis];
  return `${matching} of ${of} documents ${alike}`;
}
