import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ConfirmDialog } from '@/shared/ui/Dialog';
import { offerUndo } from '@/shared/undo';
import { deleteMessage, readsOfMessage, refreshIntake, refreshReleases, restoreMessages } from './api';

type Props = {
  message: { id: string; subject?: string | null } | null;
  onClose: () => void;
  onDeleted?: () => void;
  /** The deletion was undone. */
  onRestored?: () => void;
};

/** Refetches the lists that a deletion, or its undo, changes. */
export function useListsChanged() {
  const client = useQueryClient();
  return () => {
    void refreshIntake(client);
    void refreshReleases(client);
  };
}

/** Restores deleted messages, all or none. */
export function useRestore() {
  const listsChanged = useListsChanged();
  return async (ids: string[]) => {
    const reasons = await restoreMessages(ids).finally(listsChanged);
    if (reasons.length > 0) throw new Error(reasons.join(' '));
  };
}

/** Deletes a message after a question, with undo for a while. */
export function DeleteMessageDialog({ message, onClose, onDeleted, onRestored }: Props) {
  const client = useQueryClient();
  const listsChanged = useListsChanged();
  const restore = useRestore();
  const remove = useMutation({
    mutationFn: deleteMessage,
    onSuccess: (answer, id) => {
      offerUndo(answer?.message ?? 'Message has been deleted', () => restore([id]).then(onRestored));
      onClose();
      onDeleted?.();
      client.removeQueries(readsOfMessage(id));
      listsChanged();
    },
  });
  return (
    <ConfirmDialog
      opened={message !== null}
      onClose={onClose}
      onConfirm={() => message && remove.mutate(message.id)}
      title="Delete Message"
      subject={message?.subject || 'No subject'}
      question="Are you sure?"
      danger
      busy={remove.isPending}
    />
  );
}
