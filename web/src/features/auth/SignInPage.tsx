import { Button, TextInput, UnstyledButton } from '@mantine/core';
import { isNotEmpty, useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useBranding } from '@/app/branding';
import { signIn } from '@/app/session';
import type { DemoAccount } from '@/api/types';
import { PasswordField } from '@/shared/form/inputs';
import { paths } from '@/shared/paths';
import { AppLink, useGo } from '@/shared/ui/AppLink';
import { Notice } from '@/shared/ui/blocks';
import { Who } from '@/shared/ui/status';
import { AuthFrame } from './AuthFrame';

export function SignInPage() {
  const { demoAccounts, demoMailbox } = useBranding();
  const go = useGo();
  const form = useForm({
    mode: 'controlled',
    initialValues: { userName: '', password: '' },
    validate: { userName: isNotEmpty('Please enter your username.'), password: isNotEmpty('Please enter your password.') },
  });
  const login = useMutation({
    mutationFn: signIn,
    onSuccess: (target) => go(target, { replace: true }),
    onError: () => form.getInputNode('password')?.focus(),
    meta: { ownErrors: true },
  });
  const fill = (account: DemoAccount) => {
    form.setValues({ userName: account.userName, password: account.password });
    login.reset();
  };
  const submit = form.onSubmit(
    (values) => login.mutate({ userName: values.userName.trim(), password: values.password }),
    (errors) => form.getInputNode(errors.userName ? 'userName' : 'password')?.focus(),
  );
  return (
    <AuthFrame>
      <h1>Sign in</h1>
      <p className="cp-auth-lead">to exchange documents with the people who care for your patients.</p>
      <form noValidate onSubmit={submit} className="cp-auth-form">
        {login.error && <Notice kind="error">{login.error.message}</Notice>}
        <TextInput size="md" label="Username" required autoComplete="username" autoFocus {...form.getInputProps('userName')} />
        <PasswordField size="md" label="Password" required autoComplete="current-password" {...form.getInputProps('password')} />
        <Button size="md" type="submit" fullWidth loading={login.isPending}>
          Sign in
        </Button>
      </form>
      {demoAccounts && demoAccounts.length > 0 && <DemoAccounts accounts={demoAccounts} onChoose={fill} />}
      {demoMailbox && (
        <AppLink href={paths.demoMailbox} className="cp-link cp-demo-mailbox">
          Mailbox of this demonstration
        </AppLink>
      )}
    </AuthFrame>
  );
}

function DemoAccounts({ accounts, onChoose }: { accounts: DemoAccount[]; onChoose: (account: DemoAccount) => void }) {
  return (
    <section className="cp-demo" aria-labelledby="demo-accounts">
      <h2 id="demo-accounts">Accounts of this demonstration</h2>
      <ul>
        {accounts.map((a) => (
          <li key={a.userName}>
            <UnstyledButton className="cp-demo-account" onClick={() => onChoose(a)}>
              <Who name={a.userName.split('@')[0] ?? a.userName} size={28} />
              <span className="cp-grow">
                <span className="cp-block cp-ell cp-strong">{a.userName}</span>
                <span className="cp-block cp-ell cp-muted">{[a.role, a.organization].filter(Boolean).join(' · ')}</span>
              </span>
            </UnstyledButton>
          </li>
        ))}
      </ul>
    </section>
  );
}
