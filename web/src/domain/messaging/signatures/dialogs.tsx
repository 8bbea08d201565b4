import { MultiSelect, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Message } from '@/api/types';
import { useProfile } from '@/app/session';
import { useServerForm } from '@/shared/form/useServerForm';
import { plural } from '@/shared/format';
import { notify } from '@/shared/notify';
import { ChoicesFailed } from '@/shared/ui/blocks';
import { FormDialog } from '@/shared/ui/FormDialog';
import { assignableQuery } from '../api';
import { useSigning } from './api';

const TEXT_MAX = 500;
const SIGNERS_MAX = 20;

/** The part of a message needed for signing: drafts being written have no more. */
export type Signable = Pick<Message, 'id' | 'subject' | 'direction' | 'attachments' | 'patient'>;
type Props = { message: Signable; onClose: () => void };

/** Requests signatures from colleagues or oneself for the documents of a message. */
export function RequestSignaturesDialog({ message, onClose }: Props) {
  const people = useQuery(assignableQuery);
  const { request } = useSigning(message.id);
  const { userId } = useProfile();
  const { form, ...rest } = useServerForm({
    initialValues: { signers: [] as string[], note: '' },
    validate: { signers: (v) => (v.length === 0 ? 'Please choose who should sign.' : null) },
    failed: 'The signatures could not be requested. Please try again.',
    submit: async ({ signers, note }) => {
      await request(signers, note.trim());
      onClose();
      notify('success', `${plural(signers.length, 'signature')} requested.`);
    },
  });
  const data = (people.data ?? []).map((p) => ({ value: p.id, label: p.id === userId ? `${p.name} (you)` : p.name }));
  return (
    <FormDialog title="Request signatures" label="Request" onClose={onClose} {...rest}>
      <p className="cp-subject">{message.subject || 'No subject'}</p>
      <ChoicesFailed of={[people]} />
      <MultiSelect
        size="md"
        label="Signers"
        description="They are notified by e-mail and in the app."
        placeholder={form.values.signers.length ? undefined : 'Choose colleagues'}
        searchable
        required
        data-autofocus
        openOnFocus={false}
        maxValues={SIGNERS_MAX}
        nothingFoundMessage={people.isLoading ? 'Loading' : 'No colleague matches.'}
        data={data}
        {...form.getInputProps('signers')}
      />
      <Textarea size="md" label="Note" autosize minRows={2} maxLength={TEXT_MAX} {...form.getInputProps('note')} />
    </FormDialog>
  );
}

/** Declines to sign, with a reason. */
export function DeclineDialog({ message, onClose }: Props) {
  const { decline } = useSigning(message.id);
  const { form, ...rest } = useServerForm({
    initialValues: { reason: '' },
    validate: { reason: (v) => (v.trim() ? null : 'Please say why, in up to 500 characters.') },
    failed: 'The request could not be declined. Please try again.',
    submit: async ({ reason }) => {
      await decline(reason.trim());
      onClose();
      notify('success', 'Declined. The requester is notified.');
    },
  });
  return (
    <FormDialog title="Decline to sign" label="Decline" danger onClose={onClose} {...rest}>
      <p className="cp-subject">{message.subject || 'No subject'}</p>
      <Textarea
        size="md"
        label="Reason"
        required
        autosize
        minRows={3}
        maxLength={TEXT_MAX}
        data-autofocus
        {...form.getInputProps('reason')}
      />
    </FormDialog>
  );
}
