import { Button, Checkbox, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { FaxAccount, FaxProvider } from '@/api/types';
import { PasswordField } from '@/shared/form/inputs';
import { changedFields, useConflict } from '@/shared/form/conflict';
import { useServerForm } from '@/shared/form/useServerForm';
import { notify } from '@/shared/notify';
import { CopyIcon } from '@/shared/ui/CopyIcon';
import { Dialog } from '@/shared/ui/Dialog';
import { FormDialog } from '@/shared/ui/FormDialog';
import { type OfOrganization, readAccount, saveAccount } from './api';

/** The fields of an account, by provider. */
const FIELDS = {
  hylafax: { server: 'Server', userName: 'User name', password: 'Password', outsideLine: 'Outside line' },
  westfax: { userName: 'User name', password: 'Password', productId: 'Product ID' },
  efax: { appId: 'Application ID', password: 'Application key', userName: 'User ID', groupName: 'Group Name' },
} as const;

const HINTS: Record<string, string | undefined> = {
  server: 'Host and port, such as fax.example:4559.',
  groupName: 'The eFax group of the numbers, if there is one.',
  outsideLine: 'Dialled before each number, such as 9 and a comma for a pause.',
};
const EFAX_FAILED = 'There was an error creating an eFax account for the organization.';
const KEPT = 'Leave empty to keep the saved one. It is required again for another user or server.';
const OPTIONAL = new Set(['outsideLine', 'groupName']);
/** Modems may have users without a password. */
const mayLackPassword = (provider: FaxProvider, account: FaxAccount | null) => provider.provider === 'hylafax' && account?.hasPassword;

type Props = OfOrganization & { provider: FaxProvider; account: FaxAccount | null; onClose: () => void };

/** Creates or edits an account at a provider. A new one shows the address for the provider's callbacks. */
export function AccountDialog(props: Props) {
  const { provider, onClose } = props;
  const [callbackUrl, setCallbackUrl] = useState<string | null>(null);
  return callbackUrl ? (
    <CallbackDialog provider={provider} url={callbackUrl} onClose={onClose} />
  ) : (
    <AccountForm {...props} onMade={setCallbackUrl} />
  );
}

const valuesOf = (account: FaxAccount | null) => ({
  server: account?.server ?? '',
  userName: account?.userName ?? '',
  appId: account?.appId ?? '',
  groupName: account?.groupName ?? '',
  productId: account?.productId ?? '',
  outsideLine: account?.outsideLine ?? '',
  password: '',
  hasNoPassword: false,
});

function AccountForm({ organizationId, provider, account, onClose, onMade }: Props & { onMade: (callbackUrl: string) => void }) {
  const fields = FIELDS[provider.provider as keyof typeof FIELDS];
  const labels = Object.entries(fields);
  const conflict = useConflict<FaxAccount>({
    saved: account,
    latest: () => readAccount(provider.provider, { organizationId }),
    what: 'fax account',
    // Passwords are never shown.
    changes: changedFields(Object.fromEntries(labels.filter(([field]) => field !== 'password'))),
    button: 'Save',
    onLoad: (theirs) => form.setValues(valuesOf(theirs)),
  });
  const { form, ...rest } = useServerForm({
    initialValues: valuesOf(account),
    failed: account || provider.provider !== 'efax' ? undefined : EFAX_FAILED,
    submit: async (values) => {
      let callbackUrl: string | null | undefined;
      const isSaved = await conflict.save(async (version) => {
        const saved = await saveAccount(provider.provider, { organizationId }, { ...values, version });
        callbackUrl = saved.callbackUrl;
        return saved;
      });
      if (!isSaved) return false;
      notify('success', account ? 'The fax account was saved.' : 'The fax account was added.');
      if (callbackUrl && !account) onMade(callbackUrl);
      else onClose();
    },
  });
  return (
    <FormDialog title={`${provider.name} account`} label="Save" onClose={onClose} {...rest}>
      {conflict.banner}
      {labels.map(([field, label], index) => {
        const props = { size: 'md', label, 'data-autofocus': index === 0 || undefined, ...form.getInputProps(field) } as const;
        return field === 'password' ? (
          <PasswordField
            key={field}
            {...props}
            maxLength={500}
            required={!account?.hasPassword && provider.provider !== 'hylafax'}
            description={account?.hasPassword ? KEPT : undefined}
            autoComplete="new-password"
          />
        ) : (
          <TextInput key={field} {...props} required={!OPTIONAL.has(field)} description={HINTS[field]} maxLength={200} autoComplete="off" />
        );
      })}
      {mayLackPassword(provider, account) && (
        <Checkbox label="This user has no password" {...form.getInputProps('hasNoPassword', { type: 'checkbox' })} />
      )}
      {account?.callbackUrl && <CallbackAddress provider={provider} url={account.callbackUrl} />}
    </FormDialog>
  );
}

function CallbackDialog({ provider, url, onClose }: { provider: FaxProvider; url: string; onClose: () => void }) {
  const footer = (
    <>
      <div className="cp-grow" />
      <Button size="md" data-autofocus onClick={onClose}>
        Done
      </Button>
    </>
  );
  return (
    <Dialog opened onClose={onClose} title={`${provider.name} account`} size={520} footer={footer}>
      <CallbackAddress provider={provider} url={url} />
    </Dialog>
  );
}

const CallbackAddress = ({ provider: { provider, name }, url }: { provider: FaxProvider; url: string }) => (
  <div className="fax-callback">
    <p className="cp-second">
      {name} is asked for received faxes every {provider === 'hylafax' ? '15 seconds' : 'minute'}. Register this address there for notices,
      and faxes are fetched within seconds.
    </p>
    <div className="cp-row">
      <code className="cp-grow">{url}</code>
      <CopyIcon value={url} name="the address for notices" />
    </div>
  </div>
);
