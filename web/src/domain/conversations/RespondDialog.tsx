import { FileInput, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Conversation, ConversationAction } from '@/api/types';
import { useServerForm } from '@/shared/form/useServerForm';
import { notify } from '@/shared/notify';
import { FormDialog } from '@/shared/ui/FormDialog';
import { refreshIntake } from '../messaging/api';
import { DiffersFields, LOOK_FIRST } from '../messaging/patients/Differs';
import { PatientDiffers, refreshConversations, respond } from './api';
import { ACTIONS, outcomeOf } from './words';

const NEEDS_NOTE: ConversationAction[] = ['Decline', 'Interim'];
const NOTE_MAX = 2000;

type Props = { conversation: Conversation; action: ConversationAction; onClose: () => void };

/** Next step of a referral, with the answer to the other side. */
export function RespondDialog({ conversation, action, onClose }: Props) {
  const client = useQueryClient();
  const needsNote = NEEDS_NOTE.includes(action);
  const { done, failed } = outcomeOf(action);
  /** The document refused because it names another patient. */
  const [differs, setDiffers] = useState<{ of: File; said: PatientDiffers } | null>(null);
  const { form, ...rest } = useServerForm({
    initialValues: { note: '', appointmentDate: '', document: null as File | null, acceptsPatient: false },
    validate: {
      note: (v) => (needsNote && !v.trim() ? 'Please enter a note.' : null),
      appointmentDate: (v) =>
        action === 'Appointment' && !(v && new Date(v).getTime() > Date.now()) ? 'Please enter a time in the future.' : null,
      document: (v) => (action === 'Outcome' && !v ? 'Choose the consultation note.' : null),
      acceptsPatient: (v, { document }) => (differs && differs.of === document && !v ? LOOK_FIRST : null),
    },
    failed,
    submit: async ({ note, appointmentDate, document, acceptsPatient }) => {
      const isSeen = acceptsPatient && differs?.of === document;
      const said = { action, note: note.trim(), appointmentDate: appointmentDate || null, document, acceptsPatient: isSeen };
      try {
        await respond(conversation, said);
      } catch (error) {
        if (!(error instanceof PatientDiffers) || !document) throw error;
        setDiffers({ of: document, said: error });
        form.setFieldValue('acceptsPatient', false);
        return false;
      }
      await refreshConversations(client);
      void refreshIntake(client);
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
          description="A C-CDA document (XML) or a PDF. It closes the referral."
          placeholder="Choose a file"
          accept=".xml,.cda,.ccd,.pdf"
          clearable
          required
          {...form.getInputProps('document')}
        />
      )}
      {differs && differs.of === form.values.document && (
        <DiffersFields
          documents={[differs.said.document]}
          chosen={differs.said.chosen}
          isAccepted={form.values.acceptsPatient}
          onAccept={(accepted) => form.setFieldValue('acceptsPatient', accepted)}
          error={form.errors.acceptsPatient ? LOOK_FIRST : false}
        />
      )}
      <Textarea
        size="md"
        label={needsNote ? 'Reason' : 'Note'}
        required={needsNote}
        autosize
        minRows={3}
        maxLength={NOTE_MAX}
        data-autofocus={(action !== 'Appointment' && action !== 'Outcome') || undefined}
        {...form.getInputProps('note')}
      />
    </FormDialog>
  );
}
