import { Checkbox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Signers } from '@/api/types';
import { useProfile } from '@/app/session';
import { NO_PROOF, PasswordOrCodeFields, usePasswordOrCode } from '@/domain/identity/PasswordOrCode';
import { useServerForm } from '@/shared/form/useServerForm';
import { plural } from '@/shared/format';
import { notify } from '@/shared/notify';
import { FormDialog } from '@/shared/ui/FormDialog';
import { differingQuery } from '../api';
import { DiffersFields, LOOK_FIRST } from '../patients/Differs';
import { useSigning } from './api';
import type { Signable } from './dialogs';
import { givenMark, isMade, type Mark, NAME_MAX, SignatureField } from './SignatureField';

const NO_MARK = 'Please type or draw your signature.';
const NO_CONSENT = 'Please agree to sign electronically.';

/** The documents that are signed, with their pages where known. */
function Documents({ files }: { files: Signers['files'] }) {
  return (
    <ul className="sgn-files" aria-label="Documents">
      {files.map((file) => (
        <li key={file.attachmentId} className="cp-row">
          <span className="cp-grow cp-ell" title={file.fileName}>
            {file.fileName}
          </span>
          {file.pages ? <span className="cp-muted cp-num">{plural(file.pages, 'page')}</span> : null}
        </li>
      ))}
    </ul>
  );
}

type Props = { message: Signable; signers: Signers; onClose: () => void };

/** Signs the documents as they are in view, with the password, or a code by e-mail if there is none. */
export function SignDialog({ message, signers, onClose }: Props) {
  // What is signed is what was in view when the dialog opened, also if the documents change meanwhile: then the server refuses.
  const [seen] = useState(signers);
  const { sign } = useSigning(message.id);
  const { fullName } = useProfile();
  const proof = usePasswordOrCode();
  const { data: differing = [] } = useQuery(differingQuery(message.id));
  const { form, ...rest } = useServerForm({
    initialValues: {
      ...NO_PROOF,
      signature: { kind: 'typed', text: (fullName ?? '').slice(0, NAME_MAX), strokes: [] } as Mark,
      consents: false,
      acceptsPatient: false,
    },
    validate: {
      ...proof.validate,
      signature: (v) => (isMade(v) ? null : NO_MARK),
      consents: (v) => (v ? null : NO_CONSENT),
      acceptsPatient: (v) => (differing.length > 0 && !v ? LOOK_FIRST : null),
    },
    failed: 'The documents could not be signed. Please try again.',
    submit: async (values) => {
      await sign(seen.documents, {
        ...proof.given(values),
        signature: givenMark(values.signature),
        consents: values.consents,
        timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        acceptsPatient: values.acceptsPatient,
      });
      onClose();
      notify('success', 'Signed. The signed PDF is being made.');
    },
  });
  const problem = form.errors.signature;
  return (
    <FormDialog title="Sign documents" label="Sign" onClose={onClose} {...rest}>
      <p className="cp-second">
        You sign these documents as they are now. Your name, the time and a fingerprint of each file are recorded, and your signature is put
        into a PDF of each.
      </p>
      <Documents files={seen.files} />
      {differing.length > 0 && (
        <DiffersFields
          documents={differing}
          chosen={message.patient ?? {}}
          isAccepted={form.values.acceptsPatient}
          onAccept={(accepted) => form.setFieldValue('acceptsPatient', accepted)}
          error={form.errors.acceptsPatient ? LOOK_FIRST : false}
        />
      )}
      <SignatureField
        value={form.values.signature}
        onChange={(mark) => form.setFieldValue('signature', mark)}
        error={typeof problem === 'string' ? problem : undefined}
      />
      <Checkbox size="md" label={seen.consent} {...form.getInputProps('consents', { type: 'checkbox' })} />
      <PasswordOrCodeFields form={form} proof={proof} />
    </FormDialog>
  );
}
