import { Checkbox, FileInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconUpload } from '@tabler/icons-react';
import { useRef } from 'react';
import { useProfile } from '@/app/session';
import { FaxInput, ListSelect } from '@/shared/form/inputs';
import { useServerForm } from '@/shared/form/useServerForm';
import { formatAddress } from '@/shared/format';
import { paths } from '@/shared/paths';
import { useGo } from '@/shared/ui/AppLink';
import { ErrorState, Notice } from '@/shared/ui/blocks';
import { Dialog } from '@/shared/ui/Dialog';
import { FormDialog } from '@/shared/ui/FormDialog';
import { discardDraft, sourcesQuery } from '../api';
import { tellSent } from '../sent';
import { EMPTY, errorsOf, type NonPhiDraft, sendNonPhi } from './model';

/** A fax without patient information: it needs only number, subject and file. */
export function NonPhiFaxDialog({ onClose }: { onClose: () => void }) {
  const { userId } = useProfile();
  const sources = useQuery(sourcesQuery(userId));
  // The notice about missing numbers stays during a refetch.
  if (sources.isPending && sources.errorUpdateCount === 0) return null;
  if (!sources.data)
    return (
      <Dialog opened onClose={onClose} title={TITLE} size={520}>
        <ErrorState title="Your fax numbers could not be loaded" error={sources.error} onRetry={() => void sources.refetch()} />
      </Dialog>
    );
  const numbers = sources.data.filter((s) => s.type === 'Fax').map((s) => s.fullAddress);
  return <NonPhiForm numbers={numbers} onClose={onClose} />;
}

const TITLE = 'Non-PHI fax';

const NO_NUMBER = 'You have no fax number to send from. An administrator of your organization can give you one.';
const NEW_NUMBER = 'First fax to this number. A misdirected fax cannot be recalled.';

function NonPhiForm({ numbers, onClose }: { numbers: string[]; onClose: () => void }) {
  const go = useGo();
  const draft = useRef<NonPhiDraft | null>(null);
  const { form, ...rest } = useServerForm({
    // A single number needs no choice.
    initialValues: { ...EMPTY, fromAddress: numbers.length === 1 ? numbers[0]! : '' },
    validate: errorsOf,
    submit: async (values) => {
      const answer = await sendNonPhi(values, draft);
      tellSent(answer, (id) => go(paths.releaseDraft(id)));
      go(paths.releaseMessage(answer.id));
    },
  });
  const close = () => {
    if (draft.current) void discardDraft(draft.current.id);
    onClose();
  };
  const isNew = Boolean(form.errors.confirmedFaxNumbers) || form.values.confirmedFaxNumbers;
  const to = form.getInputProps('toAddress');
  return (
    <FormDialog title={TITLE} label="Send fax" onClose={close} staysOpen {...rest}>
      <p className="cp-second">For documents without patient information.</p>
      {numbers.length === 0 && <Notice kind="warning">{NO_NUMBER}</Notice>}
      <FaxInput
        size="md"
        label="To fax number"
        required
        data-autofocus
        inputMode="tel"
        autoComplete="off"
        {...to}
        onChange={(value) => {
          to.onChange(value);
          form.setFieldValue('confirmedFaxNumbers', false);
        }}
      />
      <TextInput size="md" label="Subject" required maxLength={255} {...form.getInputProps('subject')} />
      <ListSelect
        size="md"
        label="From fax number"
        required
        data={numbers.map((value) => ({ value, label: formatAddress(value) }))}
        {...form.getInputProps('fromAddress')}
        onChange={(value) => form.setFieldValue('fromAddress', value ?? '')}
      />
      <FileInput
        size="md"
        label="File"
        required
        placeholder="Choose a file"
        leftSection={<IconUpload size={16} stroke={1.6} />}
        {...form.getInputProps('attachments')}
      />
      {isNew && (
        <Checkbox
          label={`I have checked ${formatAddress(form.values.toAddress)}`}
          description={NEW_NUMBER}
          {...form.getInputProps('confirmedFaxNumbers', { type: 'checkbox' })}
        />
      )}
    </FormDialog>
  );
}
