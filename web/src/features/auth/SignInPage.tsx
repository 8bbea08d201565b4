import { Button, TextInput, UnstyledButton } from '@mantine/core';
import { isNotEmpty, useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { IconFingerprint } from '@tabler/icons-react';
import { useState } from 'react';
import { useBranding } from '@/app/branding';
import { enter, forgetProviderStep, lastProviderStep, signIn, whyEnded } from '@/app/session';
import type { Challenge, DemoAccount } from '@/api/types';
import { PasswordField } from '@/shared/form/inputs';
import { wordsOf } from '@/shared/errors';
import { paths } from '@/shared/paths';
import { AppLink, useGo } from '@/shared/ui/AppLink';
import { Notice } from '@/shared/ui/blocks';
import { Who } from '@/shared/ui/status';
import { hasDeclined, passkeysSupported } from '@/shared/webauthn';
import { AuthFrame } from './AuthFrame';
import { answerPasskey } from './api';
import { SecondStep } from './SecondStep';

export function SignInPage() {
  const [challenge, setChallenge] = useState(lastProviderStep);
  const [reason, setReason] = useState<string>();
  const over = (why?: string) => {
    forgetProviderStep();
    setReason(why);
    setChallenge(null);
  };
  return (
    <AuthFrame title={challenge ? 'One more step' : 'Sign in'}>
      {challenge ? <SecondStep challenge={challenge} onOver={over} /> : <FirstStep reason={reason} onChallenge={setChallenge} />}
    </AuthFrame>
  );
}

function FirstStep({ reason, onChallenge }: { reason: string | undefined; onChallenge: (challenge: Challenge) => void }) {
  const { demoAccounts, demoMailbox, registration } = useBranding();
  const go = useGo();
  const form = useForm({
    mode: 'controlled',
    initialValues: { userName: '', password: '' },
    validate: { userName: isNotEmpty('Please enter your username.'), password: isNotEmpty('Please enter your password.') },
  });
  const login = useMutation({
    mutationFn: signIn,
    onSuccess: (next) => (typeof next === 'string' ? go(next, { replace: true }) : onChallenge(next)),
    onError: () => form.getInputNode('password')?.focus(),
    meta: { ownErrors: true },
  });
  const passkey = useMutation({
    mutationFn: async () => enter(await answerPasskey()),
    onSuccess: (target) => go(target, { replace: true }),
    meta: { ownErrors: true },
  });
  const fill = (account: DemoAccount) => {
    form.setValues({ userName: account.userName, password: account.password });
    login.reset();
    passkey.reset();
  };
  const submit = form.onSubmit(
    (values) => {
      passkey.reset();
      login.mutate({ userName: values.userName.trim(), password: values.password });
    },
    (errors) => form.getInputNode(errors.userName ? 'userName' : 'password')?.focus(),
  );
  const failure = login.error ?? (hasDeclined(passkey.error) ? null : passkey.error);
  const error = failure ? wordsOf(failure) : login.isIdle ? reason : undefined;
  const ended = whyEnded();
  return (
    <>
      <p className="cp-auth-lead">to exchange documents with the people who care for your patients.</p>
      <form noValidate onSubmit={submit} className="cp-auth-form">
        {error && <Notice kind="error">{error}</Notice>}
        {!error && ended && <Notice kind="info">{ended} Sign in to pick up where you left off.</Notice>}
        <TextInput size="md" label="Username" required autoComplete="username" autoFocus {...form.getInputProps('userName')} />
        <PasswordField size="md" label="Password" required autoComplete="current-password" {...form.getInputProps('password')} />
        <Button size="md" type="submit" fullWidth loading={login.isPending}>
          Sign in
        </Button>
        {passkeysSupported() && (
          <Button
            size="md"
            variant="default"
            fullWidth
            leftSection={<IconFingerprint size={17} stroke={1.6} />}
            loading={passkey.isPending}
            onClick={() => {
              login.reset();
              passkey.mutate();
            }}
          >
            Sign in with a passkey
          </Button>
        )}
      </form>
      <p className="cp-auth-links">
        <AppLink href={paths.forgotPassword} className="cp-link">
          Forgot your password?
        </AppLink>
        {registration && (
          <AppLink href={paths.register} className="cp-link">
            Register your practice
          </AppLink>
        )}
      </p>
      {demoAccounts && demoAccounts.length > 0 && <DemoAccounts accounts={demoAccounts} onChoose={fill} />}
      {demoMailbox && (
        <AppLink href={paths.demoMailbox} className="cp-link cp-demo-mailbox">
          Mailbox of this demonstration
        </AppLink>
      )}
    </>
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
