import { MultiSelect, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Message } from '@/api/types';
import { useProfile } from '@/app/session';
import { NO_PROOF, PasswordOrCodeFields, usePasswordOrCode } from '@/domain/identity/PasswordOrCode';
import { useServerForm } from '@/shared/form/useServerForm';
import { formatSize, plural } from '@/shared/format';
import { notify } from '@/shared/notify';
import { ChoicesFailed } from '@/shared/ui/blocks';
import { FormDialog } from '@/shared/ui/FormDialog';
import { assignableQuery, differingQuery } from '../api';
import { DiffersFields, LOOK_FIRST } from '../patients/Differs';
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

/** Signs the documents as they are in view, with the password, or a code by e-mail if there is none. */
export function SignDialog({ message, documents, onClose }: Props & { documents: string }) {
  const { sign } = useSigning(message.id);
  const proof = usePasswordOrCode();
  const { data: differing = [] } = useQuery(differingQuery(message.id));
  const { form, ...rest } = useServerForm({
    initialValues: { ...NO_PROOF, acceptsPatient: false },
    validate: {
      ...proof.validate,
      acceptsPatient: (v) => (differing.length > 0 && !v ? LOOK_FIRST : null),
    },
    failed: 'The documents could not be signed. Please try again.',
    submit: async (values) => {
      await sign(documents, { ...proof.given(values), acceptsPatient: values.acceptsPatient });
      onClose();
      notify('success', 'Signed.');
    },
  });
  return (
    <FormDialog title="Sign documents" label="Sign" onClose={onClose} {...rest}>
      <p className="cp-second">
        You sign these documents as they are now. Your name, the time and a fingerprint of each file are recorded.
      </p>
      <ul className="sgn-files">
        {message.attachments.map((a) => (
          <li key={a.id} className="cp-row">
            <span className="cp-grow cp-ell" title={a.fileName}>
              {a.fileName}
            </span>
            <span className="cp-muted cp-num">{formatSize(a.sizeInBytes)}</span>
          </li>
        ))}
      </ul>
      {differing.length > 0 && (
        <DiffersFields
          documents={differing}
          chosen={message.patient ?? {}}
          isAccepted={form.values.acceptsPatient}
          onAccept={(accepted) => form.setFieldValue('acceptsPatient', accepted)}
          error={form.errors.acceptsPatient ? LOOK_FIRST : false}
        />
      )}
      <PasswordOrCodeFields form={form} proof={proof} />
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
