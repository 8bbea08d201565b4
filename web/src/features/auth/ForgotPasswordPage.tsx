import { Button, TextInput } from '@mantine/core';
import { isNotEmpty, useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useBranding } from '@/app/branding';
import { wordsOf } from '@/shared/errors';
import { paths } from '@/shared/paths';
import { AppLink } from '@/shared/ui/AppLink';
import { Notice } from '@/shared/ui/blocks';
import { AuthFrame } from './AuthFrame';
import { forgotPassword } from './api';

export function ForgotPasswordPage() {
  const { demoMailbox } = useBranding();
  const form = useForm({
    mode: 'controlled',
    initialValues: { userName: '' },
    validate: { userName: isNotEmpty('Please enter your username.') },
  });
  const ask = useMutation({ mutationFn: forgotPassword, meta: { ownErrors: true } });
  return (
    <AuthFrame title="Forgot your password?">
      <p className="cp-auth-lead">We will e-mail you a link to set a new one.</p>
      <form noValidate className="cp-auth-form" onSubmit={form.onSubmit(({ userName }) => ask.mutate(userName.trim()))}>
        {ask.error && <Notice kind="error">{wordsOf(ask.error)}</Notice>}
        {ask.data && (
          <Notice kind="success">
            {ask.data.message} The link works for an hour.
            {demoMailbox && (
              <>
                {' '}
                <AppLink href={paths.demoMailbox} className="cp-link">
                  Open the mailbox of this demonstration
                </AppLink>
              </>
            )}
          </Notice>
        )}
        <TextInput size="md" label="Username" required autoComplete="username" autoFocus {...form.getInputProps('userName')} />
        <Button size="md" type="submit" fullWidth loading={ask.isPending}>
          Send the link
        </Button>
      </form>
      <p className="cp-auth-links">
        <AppLink href={paths.login()} className="cp-link">
          Back to sign-in
        </AppLink>
      </p>
    </AuthFrame>
  );
}
