import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ApiError, api, unwrap } from '@/api/client';
import { ownAddressesQuery } from '@/domain/messaging/api';
import { Form } from '@/shared/form/Form';
import { ListSelect } from '@/shared/form/inputs';
import { useServerForm } from '@/shared/form/useServerForm';
import { notify } from '@/shared/notify';
import { isEmail } from '@/shared/rules/fields';
import { Dialog } from '@/shared/ui/Dialog';

const FAILED = 'An error occurred while sending the invitation.';

/** Invites somebody by e-mail; the sender gets a copy. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const own = useQuery(ownAddressesQuery);
  const { form, busy, onSubmit } = useServerForm({
    initialValues: { fullName: '', emailAddress: '', directAddress: '' },
    validate: {
      fullName: (value) => (value.trim() ? null : 'Full name is required.'),
      emailAddress: (value) =>
        value.trim() ? (isEmail(value.trim()) ? null : 'Please enter a valid email address.') : 'Email address is required.',
    },
    submit: async (values) => {
      try {
        const { message } = await unwrap(api.POST('/api/users/sendinvitation', { body: values }));
        notify('success', message);
        onClose();
      } catch (error) {
        if (error instanceof ApiError && Object.keys(error.modelState).length > 0) throw error;
        // The server may add a reason.
        notify('error', error instanceof ApiError && error.message.startsWith(FAILED) ? error.message : FAILED);
      }
    },
  });
  return (
    <Dialog
      opened
      onClose={onClose}
      title="Build Your Network"
      size={520}
      footer={
        <>
          <div className="cp-grow" />
          <Button size="md" variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button size="md" type="submit" form="invite" loading={busy}>
            Send
          </Button>
        </>
      }
    >
      <Form id="invite" onSubmit={onSubmit} className="dir-invitation">
        <TextInput
          size="md"
          data-autofocus
          label="To"
          placeholder="Full name"
          required
          maxLength={255}
          {...form.getInputProps('fullName')}
        />
        <TextInput
          size="md"
          label="Email address"
          type="email"
          required
          maxLength={254}
          autoComplete="off"
          {...form.getInputProps('emailAddress')}
        />
        <ListSelect
          size="md"
          label="Share Your Direct Address"
          description={own.isError ? 'Optional. Your addresses could not be loaded.' : 'Optional'}
          // Text typed before they load would be lost silently.
          disabled={own.isPending}
          data={(own.data ?? []).map((source) => source.fullAddress).filter((address) => address.includes('@'))}
          {...form.getInputProps('directAddress')}
          value={form.values.directAddress || null}
          onChange={(value) => form.setFieldValue('directAddress', value ?? '')}
        />
        <p className="cp-second">A copy of the invitation is sent to your own email address.</p>
      </Form>
    </Dialog>
  );
}
