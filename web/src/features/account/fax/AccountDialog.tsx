import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { FaxAccount, FaxProvider } from '@/api/types';
import { PasswordField } from '@/shared/form/inputs';
import { useServerForm } from '@/shared/form/useServerForm';
import { notify } from '@/shared/notify';
import { CopyIcon } from '@/shared/ui/CopyIcon';
import { Dialog } from '@/shared/ui/Dialog';
import { FormDialog } from '@/shared/ui/FormDialog';
import { saveAccount } from './api';

/** What an account at a service on the web takes, by the field of the form. */
const FIELDS = {
  westfax: { userName: 'User name', password: 'Password', productId: 'Product ID' },
  efax: { appId: 'Application ID', password: 'Application key', userName: 'User ID' },
} as const;

type Props = { provider: FaxProvider; account: FaxAccount | null; onClose: () => void };

/** An account at a fax service: new, or one that is changed. Whoever makes one is told where the service may call. */
export function AccountDialog({ provider, account, onClose }: Props) {
  const [callbackUrl, setCallbackUrl] = useState<string | null>(null);
  return callbackUrl ? (
    <CallbackDialog name={provider.name} url={callbackUrl} onClose={onClose} />
  ) : (
    <AccountForm provider={provider} account={account} onClose={onClose} onMade={setCallbackUrl} />
  );
}

function AccountForm({ provider, account, onClose, onMade }: Props & { onMade: (callbackUrl: string) => void }) {
  const labels = Object.entries(FIELDS[provider.provider as keyof typeof FIELDS]);
  const { form, ...rest } = useServerForm({
    initialValues: { userName: account?.userName ?? '', appId: account?.appId ?? '', productId: account?.productId ?? '', password: '' },
    submit: async (values) => {
      const { callbackUrl } = await saveAccount(provider.provider, values);
      notify('success', account ? 'The fax account was saved.' : 'The fax account was added.');
      if (callbackUrl && !account) onMade(callbackUrl);
      else onClose();
    },
  });
  return (
    <FormDialog title={`${provider.name} account`} label="Save" onClose={onClose} {...rest}>
      {labels.map(([field, label], index) => {
        const props = { size: 'md', label, 'data-autofocus': index === 0 || undefined, ...form.getInputProps(field) } as const;
        return field === 'password' ? (
          <PasswordField
            key={field}
            {...props}
            maxLength={500}
            required={!account?.hasPassword}
            description={account?.hasPassword ? 'Leave it empty to keep the one that is stored.' : undefined}
            autoComplete="new-password"
          />
        ) : (
          <TextInput key={field} {...props} required maxLength={200} autoComplete="off" />
        );
      })}
      {account?.callbackUrl && <CallbackAddress name={provider.name} url={account.callbackUrl} />}
    </FormDialog>
  );
}

function CallbackDialog({ name, url, onClose }: { name: string; url: string; onClose: () => void }) {
  const footer = (
    <>
      <div className="cp-grow" />
      <Button size="md" data-autofocus onClick={onClose}>
        Done
      </Button>
    </>
  );
  return (
    <Dialog opened onClose={onClose} title={`${name} account`} size={520} footer={footer}>
      <CallbackAddress name={name} url={url} />
    </Dialog>
  );
}

const CallbackAddress = ({ name, url }: { name: string; url: string }) => (
  <div className="fax-callback">
    <p className="cp-second">
      {name} is asked for received faxes every minute. Give it this address for notices, and they are fetched within seconds.
    </p>
    <div className="cp-row">
      <code className="cp-grow">{url}</code>
      <CopyIcon value={url} name="the address for notices" />
    </div>
  </div>
);
