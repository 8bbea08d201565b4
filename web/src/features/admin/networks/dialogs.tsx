import { Button, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { IconCopy } from '@tabler/icons-react';
import { useState } from 'react';
import { reportError, reportFailure } from '@/shared/errors';
import { ListSelect } from '@/shared/form/inputs';
import { useServerForm } from '@/shared/form/useServerForm';
import { notify } from '@/shared/notify';
import { required } from '@/shared/rules/fields';
import { ChoicesFailed, Notice } from '@/shared/ui/blocks';
import { ConfirmDialog, Dialog } from '@/shared/ui/Dialog';
import { FormDialog } from '@/shared/ui/FormDialog';
import { addAdmin, addOrganization, createNetwork, organizationChoicesQuery } from './api';
import { checkName, NAME_MAX } from './rules';

export function NewNetworkDialog({ onClose, onCreated }: { onClose: () => void; onCreated: (id: string) => void }) {
  const { form, ...rest } = useServerForm({
    initialValues: { name: '' },
    validate: { name: checkName },
    submit: async ({ name }) => {
      const created = await createNetwork(name.trim());
      onClose();
      notify('success', 'The network was created.');
      onCreated(created.id);
    },
  });
  return (
    <FormDialog title="New Network" label="Create" onClose={onClose} {...rest}>
      <TextInput size="md" label="Name" required maxLength={NAME_MAX} data-autofocus {...form.getInputProps('name')} />
    </FormDialog>
  );
}

const SEARCH_DELAY_MS = 300;

/** Chosen from the organizations of the installation, by how the name begins. */
export function AddOrganizationDialog({ networkId, onClose }: { networkId: string; onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const [asked] = useDebouncedValue(typed.trim(), SEARCH_DELAY_MS);
  const choices = useQuery({ ...organizationChoicesQuery(asked), enabled: asked.length > 0 });
  const { form, ...rest } = useServerForm<{ organizationId: string | null }>({
    initialValues: { organizationId: null },
    validate: { organizationId: (v) => (v ? null : 'Please choose an organization from the list.') },
    submit: async ({ organizationId }) => {
      await addOrganization(networkId, organizationId!);
      onClose();
      notify('success', 'The organization was added to the network.');
    },
  });
  const data = (asked ? (choices.data ?? []) : []).map((o) => ({ value: o.id, label: `${o.name} (${o.subDomain})` }));
  return (
    <FormDialog title="Add an Organization" label="Add" onClose={onClose} {...rest}>
      <ChoicesFailed of={[choices]} />
      <ListSelect
        size="md"
        label="Organization"
        description="Type how its name begins, and choose it."
        required
        data-autofocus
        data={data}
        onSearch={setTyped}
        nothingFoundMessage={typed.trim() ? (choices.isFetching || asked !== typed.trim() ? 'Searching…' : 'No match') : undefined}
        {...form.getInputProps('organizationId')}
      />
    </FormDialog>
  );
}

export function AddAdminDialog({ networkId, onClose }: { networkId: string; onClose: () => void }) {
  const { form, ...rest } = useServerForm({
    initialValues: { userName: '' },
    validate: { userName: required('Please enter a username or an e-mail address.') },
    submit: async ({ userName }) => {
      const added = await addAdmin(networkId, userName.trim());
      onClose();
      notify('success', `${added.fullName || added.userName} is an administrator of the network now.`);
    },
  });
  return (
    <FormDialog title="Add an Administrator" label="Add" onClose={onClose} {...rest}>
      <TextInput
        size="md"
        label="Username or e-mail address"
        description="Somebody who has an account already."
        required
        maxLength={255}
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('userName')}
      />
    </FormDialog>
  );
}

type AskProps = {
  title: string;
  subject: string;
  question: string;
  label: string;
  danger?: boolean;
  run: () => Promise<unknown>;
  done?: string;
  failed: string;
  onClose: () => void;
};
/** Asks before an act, and says how it went. What the server says comes first. */
export function AskDialog({ title, subject, question, label, danger, run, done, failed, onClose }: AskProps) {
  const act = useMutation({
    mutationFn: run,
    meta: { ownErrors: true },
    onSuccess: () => {
      onClose();
      if (done) notify('success', done);
    },
    onError: (error) => {
      onClose();
      reportFailure(error, failed, { serverFirst: true });
    },
  });
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      onConfirm={() => act.mutate()}
      title={title}
      subject={subject}
      question={question}
      confirmLabel={label}
      danger={danger}
      busy={act.isPending}
    />
  );
}

/** The token, which is shown this once. */
export function TokenDialog({ token, hasAddresses, onClose }: { token: string; hasAddresses: boolean; onClose: () => void }) {
  const copy = useMutation({
    mutationFn: () => navigator.clipboard.writeText(token),
    onSuccess: () => notify('success', 'The token is in the clipboard.'),
    onError: (error) => reportError(error, 'The token could not be copied. Please select it and copy it yourself.'),
    meta: { ownErrors: true },
  });
  return (
    <Dialog
      opened
      locked
      onClose={onClose}
      title="Token of the service account"
      size={600}
      footer={
        <>
          <div className="cp-grow" />
          <Button size="md" onClick={onClose}>
            I have kept it
          </Button>
        </>
      }
    >
      <div className="adm-form">
        <p className="cp-question cp-second">
          Your system sends this token with each call. Keep it where you keep passwords: it is shown only now.
        </p>
        <code className="net-token" data-secret>
          {token}
        </code>
        <div>
          <Button
            size="md"
            variant="default"
            leftSection={<IconCopy size={16} stroke={1.6} />}
            loading={copy.isPending}
            onClick={() => copy.mutate()}
            data-autofocus
          >
            Copy
          </Button>
        </div>
        {!hasAddresses && <Notice kind="info">It can be used once you have entered the addresses that your system calls from.</Notice>}
      </div>
    </Dialog>
  );
}
