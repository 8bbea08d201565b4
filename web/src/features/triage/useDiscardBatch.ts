import { useQueryClient } from '@tanstack/react-query';
import { refreshOnly } from '@/api/query';
import { discardBatch } from '@/domain/messaging/triage/upload';
import { useAsk } from '@/shared/ui/AskDialog';
import { useDiscard } from '@/shared/ui/useDiscard';

/** Asks before a batch is deleted. */
export function useDiscardBatch(onDone?: () => void) {
  const client = useQueryClient();
  const [discard, question] = useDiscard();
  const discardAsked = (id: string, subject: string) =>
    discard({
      what: 'this batch',
      subject,
      lost: 'The uploaded files and all changes to them are deleted.',
      run: async () => {
        await discardBatch(id);
        await refreshOnly(client, '/api/triage');
        onDone?.();
      },
      failed: 'The batch could not be discarded. Please try again.',
    });
  return [discardAsked, question] as const;
}

/** Asks whether to discard the failed documents of a batch. */
export function useDiscardFailed(onDone?: () => void) {
  const client = useQueryClient();
  const [ask, question] = useAsk();
  const discardFailed = (id: string, subject: string, filed: number) =>
    ask({
      title: 'Discard the failed documents?',
      subject,
      question:
        filed > 0
          ? 'These documents are not filed in the Intake. Their pages stay in the originals of the batch.'
          : 'No document of this batch is in the Intake. Its uploaded files are deleted.',
      label: 'Discard',
      danger: true,
      run: async () => {
        await discardBatch(id);
        await refreshOnly(client, '/api/triage');
        onDone?.();
      },
      failed: 'The documents could not be discarded. Please try again.',
    });
  return [discardFailed, question] as const;
}
