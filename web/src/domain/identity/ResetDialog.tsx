import { Select } from '@/shared/form/Select';
import { useServerForm } from '@/shared/form/useServerForm';
import { notify } from '@/shared/notify';
import { FormDialog } from '@/shared/ui/FormDialog';

/** Ways to verify the identity of a person whose second step is reset. */
export type IdentityProof = 'InPerson' | 'Video' | 'CallBack' | 'PhotoId';

export const IDENTITY_PROOFS = [
  { value: 'InPerson', label: 'In person, and I know them' },
  { value: 'Video', label: 'By video call, and I recognized them' },
  { value: 'CallBack', label: 'I called back a number on file' },
  { value: 'PhotoId', label: 'I checked a photo ID' },
] as const satisfies readonly { value: IdentityProof; label: string }[];

export const IDENTITY_LABEL = 'How did you make sure who is asking?';
export const IDENTITY_REQUIRED = 'Please choose how you made sure who is asking.';

type Props = { title: string; label: string; subject: string; onClose: () => void; run: (proof: IdentityProof) => Promise<unknown> };

/** Resets the second step of a person who lost it, with the way their identity was verified. */
export function ResetDialog({ title, label, subject, onClose, run }: Props) {
  const { form, ...rest } = useServerForm({
    initialValues: { identityProof: null as IdentityProof | null },
    validate: { identityProof: (v) => (v ? null : IDENTITY_REQUIRED) },
    failed: 'Could not disable two-factor for user.',
    submit: async ({ identityProof }) => {
      await run(identityProof!);
      onClose();
      notify('success', 'Two-factor disabled for user.');
    },
  });
  return (
    <FormDialog title={title} label={label} danger onClose={onClose} {...rest}>
      <p className="cp-subject">{subject}</p>
      <p className="cp-question">
        Authenticator app, passkeys and recovery codes of this person are removed, and they are signed out everywhere.
      </p>
      <Select
        size="md"
        label={IDENTITY_LABEL}
        description="A call or an e-mail alone does not prove who somebody is. Your choice is recorded in the audit trail."
        required
        data={[...IDENTITY_PROOFS]}
        {...form.getInputProps('identityProof')}
      />
    </FormDialog>
  );
}
