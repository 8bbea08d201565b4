import { Menu } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { IconFileDownload, IconInbox } from '@tabler/icons-react';
import type { Message } from '@/api/types';
import { interoperabilityQuery } from '@/domain/messaging/api';
import { notify } from '@/shared/notify';
import { ConfirmDialog } from '@/shared/ui/Dialog';
import { saveSummary, sendSummaryToIntake } from '../api';

const tellFailure = () => notify('error', 'The system encountered an error while generating the delivery summary.');

/** Actions on the delivery summary of a message. */
export function SummaryItems({ message, onSend }: { message: Message; onSend: () => void }) {
  const settings = useQuery(interoperabilityQuery).data;
  const download = useMutation({ mutationFn: saveSummary, meta: { ownErrors: true }, onError: tellFailure });
  return (
    <>
      {settings?.deliverySummaryEnableDownload && (
        <Menu.Item leftSection={<IconFileDownload size={16} stroke={1.6} />} onClick={() => download.mutate(message.id)}>
          Download Delivery Summary
        </Menu.Item>
      )}
      <Menu.Item leftSection={<IconInbox size={16} stroke={1.6} />} onClick={onSend}>
        Send Delivery Summary to Intake
      </Menu.Item>
    </>
  );
}

/** Puts the delivery summary of a message in the Intake, after a question. */
export function SummaryDialog({ message, opened, onClose }: { message: Message; opened: boolean; onClose: () => void }) {
  const send = useMutation({
    mutationFn: sendSummaryToIntake,
    meta: { ownErrors: true },
    onSuccess: () => {
      onClose();
      notify('success', 'Your Delivery Summary is being generated. To view the document, go to My Intake.');
    },
    onError: tellFailure,
  });
  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      onConfirm={() => send.mutate(message.id)}
      title="Send Delivery Summary to Intake"
      subject={message.subject || 'No subject'}
      question=""
      confirmLabel="Confirm"
      busy={send.isPending}
    >
      <p>A PDF with the recipients, documents and delivery times will be put into your Intake.</p>
    </ConfirmDialog>
  );
}
