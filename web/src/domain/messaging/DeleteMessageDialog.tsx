import { useMutation, useQueryClient } from '@tanstack/react-query';
import { notify } from '@/shared/notify';
import { ConfirmDialog } from '@/shared/ui/Dialog';
import { deleteMessage, messageKey } from './api';

type Props = {
  message: { id: string; subject?: string | null } | null;
  onClose: () => void;
  onDeleted?: () => void;
};

/** Asks, then deletes a message. */
export function DeleteMessageDialog({ message, onClose, onDeleted }: Props) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: deleteMessage,
    onSuccess: (answer, id) => {
      notify('success', answer?.message ?? 'Your message is being deleted');
      onClose();
      onDeleted?.();
      client.removeQueries({ queryKey: messageKey(id) });
      void client.invalidateQueries({ queryKey: ['intake'] });
      void client.invalidateQueries({ queryKey: ['release'] });
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
