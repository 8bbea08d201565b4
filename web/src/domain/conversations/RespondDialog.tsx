import { FileInput, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { Conversation, ConversationAction } from '@/api/types';
import { useServerForm } from '@/shared/form/useServerForm';
import { notify } from '@/shared/notify';
import { FormDialog } from '@/shared/ui/FormDialog';
import { refreshConversations, respond } from './api';
import { ACTIONS, outcomeOf } from './words';

const NEEDS_NOTE: ConversationAction[] = ['Decline', 'Interim'];
const NOTE_MAX = 2000;

type Props = { conversation: Conversation; action: ConversationAction; onClose: () => void };

/** How a referral goes on: what the other side is told. */
export function RespondDialog({ conversation, action, onClose }: Props) {
  const client = useQueryClient();
  const needsNote = NEEDS_NOTE.includes(action);
  const { done, failed } = outcomeOf(action);
  const { form, ...rest } = useServerForm({
    initialValues: { note: '', appointmentDate: '', document: null as File | null },
    validate: {
      note: (v) => (needsNote && !v.trim() ? 'Please say it in a few words.' : null),
      appointmentDate: (v) =>
        action === 'Appointment' && !(v && new Date(v).getTime() > Date.now()) ? 'Please enter a time that is to come.' : null,
      document: (v) => (action === 'Outcome' && !v ? 'Choose the consultation note, a C-CDA document.' : null),
    },
    failed,
    submit: async ({ note, appointmentDate, document }) => {
      await respond(conversation, { action, note: note.trim(), appointmentDate: appointmentDate || null, document });
      await refreshConversations(client);
      void client.invalidateQueries({ queryKey: ['intake'] });
      notify('success', done);
      onClose();
    },
  });
  const { label } = ACTIONS[action];
  return (
    <FormDialog
      title={label}
      label={label === 'Decline' || action === 'Cancel' ? label : 'Send'}
      danger={action === 'Decline' || action === 'Cancel'}
      staysOpen
      onClose={onClose}
      {...rest}
    >
      <p className="cp-subject">{[conversation.patientName, conversation.reason].filter(Boolean).join(': ')}</p>
      {action === 'Appointment' && (
        <TextInput size="md" type="datetime-local" label="Date and time" required {...form.getInputProps('appointmentDate')} />
      )}
      {action === 'Outcome' && (
        <FileInput
          size="md"
          label="Consultation note"
          description="A C-CDA document (XML). It closes the referral."
          placeholder="Choose a file"
          accept=".xml,.cda,.ccd"
          clearable
          required
          {...form.getInputProps('document')}
        />
      )}
      <Textarea
        size="md"
        label={needsNote ? 'Reason' : 'Note'}
        required={needsNote}
        autosize
        minRows={3}
        maxLength={NOTE_MAX}
        data-autofocus={action !== 'Appointment' && action !== 'Outcome'}
        {...form.getInputProps('note')}
      />
    </FormDialog>
  );
}
