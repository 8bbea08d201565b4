import { MultiSelect, Textarea, TextInput, UnstyledButton } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Message } from '@/api/types';
import { useProfile } from '@/app/session';
import { PasswordField } from '@/shared/form/inputs';
import { useServerForm } from '@/shared/form/useServerForm';
import { formatSize, plural } from '@/shared/format';
import { notify } from '@/shared/notify';
import { ChoicesFailed } from '@/shared/ui/blocks';
import { FormDialog } from '@/shared/ui/FormDialog';
import { assignableQuery, differingQuery } from '../api';
import { DiffersFields, LOOK_FIRST } from '../patients/Differs';
import { sendCode, useSigning } from './api';

const TEXT_MAX = 500;
const SIGNERS_MAX = 20;

/** What of a message is needed to sign its documents: drafts that are being written have no more. */
export type Signable = Pick<Message, 'id' | 'subject' | 'direction' | 'attachments' | 'patient'>;
type Props = { message: Signable; onClose: () => void };

/** Asks colleagues, or oneself, to sign the documents of a message. */
export function RequestSignaturesDialog({ message, onClose }: Props) {
  const people = useQuery(assignableQuery);
  const { request } = useSigning(message.id);
  const { userId } = useProfile();
  const { form, ...rest } = useServerForm({
    initialValues: { signers: [] as string[], note: '' },
    validate: { signers: (v) => (v.length === 0 ? 'Please choose who is to sign.' : null) },
    failed: 'Nobody could be asked. Please try again.',
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
        description="They are told by e-mail and in their notices."
        placeholder={form.values.signers.length ? undefined : 'Choose colleagues'}
        searchable
        required
        data-autofocus
        openOnFocus={false}
        maxValues={SIGNERS_MAX}
        nothingFoundMessage={people.isLoading ? 'Loading' : 'Nobody of this name works here.'}
        data={data}
        {...form.getInputProps('signers')}
      />
      <Textarea size="md" label="Note" autosize minRows={2} maxLength={TEXT_MAX} {...form.getInputProps('note')} />
    </FormDialog>
  );
}

/** Signs the documents as they are in view, with the password, or a code by e-mail for who has none. */
export function SignDialog({ message, documents, onClose }: Props & { documents: string }) {
  const { userId } = useProfile();
  const { sign } = useSigning(message.id);
  const { data: differing = [] } = useQuery(differingQuery(message.id));
  const [byMail, setByMail] = useState(false);
  const { form, ...rest } = useServerForm({
    initialValues: { password: '', code: '', acceptsPatient: false },
    validate: {
      acceptsPatient: (v) => (differing.length > 0 && !v ? LOOK_FIRST : null),
      password: (v) => (!byMail && !v ? 'Please enter your password.' : null),
      code: (v) => (byMail && !v.trim() ? 'Please enter the code.' : null),
    },
    failed: 'It could not be signed. Please try again.',
    submit: async ({ password, code, acceptsPatient }) => {
      await sign(documents, { ...(byMail ? { code: code.trim() } : { password }), acceptsPatient });
      onClose();
      notify('success', 'Signed.');
    },
  });
  const send = useMutation({
    mutationFn: () => sendCode(userId),
    onSuccess: () => {
      setByMail(true);
      notify('info', 'A code is on its way to your e-mail address.');
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
      {byMail ? (
        <TextInput
          size="md"
          label="Code by e-mail"
          required
          autoComplete="one-time-code"
          inputMode="numeric"
          maxLength={20}
          autoFocus
          {...form.getInputProps('code')}
        />
      ) : (
        <PasswordField
          size="md"
          label="Your password"
          required
          autoComplete="current-password"
          data-autofocus
          {...form.getInputProps('password')}
        />
      )}
      {!byMail && (
        <UnstyledButton className="cp-link" disabled={send.isPending} onClick={() => send.mutate()}>
          No password? Send a code by e-mail
        </UnstyledButton>
      )}
    </FormDialog>
  );
}

/** Says why the caller does not sign. */
export function DeclineDialog({ message, onClose }: Props) {
  const { decline } = useSigning(message.id);
  const { form, ...rest } = useServerForm({
    initialValues: { reason: '' },
    validate: { reason: (v) => (v.trim() ? null : 'Please say why, in up to 500 characters.') },
    failed: 'It could not be declined. Please try again.',
    submit: async ({ reason }) => {
      await decline(reason.trim());
      onClose();
      notify('success', 'Declined. Whoever asked is told.');
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
