import { Button } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '@/api/client';
import { PasswordField } from '@/shared/form/inputs';
import { wordsOf } from '@/shared/errors';
import { notify } from '@/shared/notify';
import { paths } from '@/shared/paths';
import { AppLink, useGo } from '@/shared/ui/AppLink';
import { Notice } from '@/shared/ui/blocks';
import { AuthFrame } from './AuthFrame';
import { linkQuery, mayPass, setPassword } from './api';

const UNKNOWN = 'This link is not complete, or it is not from here.';

/** What a link that does not work says. */
const reasonOf = (error: Error) => (error instanceof ApiError && error.status === 404 ? UNKNOWN : wordsOf(error));

/** Opened by the link of an e-mail, whose token stands in the fragment. */
export function SetPasswordPage() {
  const [token] = useState(() => window.location.hash.slice(1));
  const link = useQuery({ ...linkQuery(token), enabled: token !== '' });
  return (
    <AuthFrame>
      <h1>{link.data?.purpose === 'invitation' ? 'Welcome' : 'Set a new password'}</h1>
      {link.data ? (
        <NewPassword token={token} userName={link.data.userName} shortest={link.data.shortest} />
      ) : token === '' ? (
        <Void reason={UNKNOWN} />
      ) : link.error ? (
        <Void reason={reasonOf(link.error)} onRetry={mayPass(link.error) ? () => void link.refetch() : undefined} />
      ) : (
        <p className="cp-auth-lead" role="status">
          One moment …
        </p>
      )}
    </AuthFrame>
  );
}

function Void({ reason, onRetry }: { reason: string; onRetry?: () => void }) {
  const go = useGo();
  return (
    <div className="cp-auth-form">
      <Notice kind="error">{reason}</Notice>
      {onRetry ? (
        <Button size="md" onClick={onRetry}>
          Try again
        </Button>
      ) : (
        <Button size="md" onClick={() => go(paths.forgotPassword)}>
          Send me a new link
        </Button>
      )}
      <Button size="md" variant="default" onClick={() => go(paths.login())}>
        Go to sign-in
      </Button>
    </div>
  );
}

function NewPassword({ token, userName, shortest }: { token: string; userName: string; shortest: number }) {
  const go = useGo();
  const form = useForm({
    mode: 'controlled',
    initialValues: { password: '', again: '' },
    validate: {
      password: (v) => ([...v].length < shortest ? `Please use at least ${shortest} characters.` : null),
      again: (v, all) => (v === all.password ? null : 'The two passwords differ.'),
    },
  });
  const save = useMutation({
    mutationFn: (password: string) => setPassword(token, password),
    onSuccess: () => {
      notify('success', 'Your password is set. Please sign in with it.');
      go(paths.login(), { replace: true });
    },
    onError: (error) => {
      const texts = error instanceof ApiError ? error.modelState.password : undefined;
      if (texts) form.setFieldError('password', texts.join(' '));
    },
    meta: { ownErrors: true },
  });
  const hasVoidLink = save.error instanceof ApiError && (save.error.status === 409 || save.error.status === 404);
  if (hasVoidLink && save.error) return <Void reason={reasonOf(save.error)} />;
  const ofForm = save.error && !(save.error instanceof ApiError && save.error.modelState.password) ? save.error : null;
  return (
    <>
      <p className="cp-auth-lead">
        for <b className="cp-strong">{userName}</b>
      </p>
      <form noValidate className="cp-auth-form" onSubmit={form.onSubmit(({ password }) => save.mutate(password))}>
        {ofForm && <Notice kind="error">{wordsOf(ofForm)}</Notice>}
        <input type="hidden" name="username" autoComplete="username" value={userName} />
        <PasswordField
          size="md"
          label="New password"
          description={`At least ${shortest} characters. Several words that do not belong together are easy to remember and hard to guess.`}
          required
          autoFocus
          autoComplete="new-password"
          {...form.getInputProps('password')}
        />
        <PasswordField size="md" label="New password again" required autoComplete="new-password" {...form.getInputProps('again')} />
        <Button size="md" type="submit" fullWidth loading={save.isPending}>
          Set the password
        </Button>
      </form>
      <p className="cp-auth-links">
        <AppLink href={paths.login()} className="cp-link">
          Go to sign-in
        </AppLink>
      </p>
    </>
  );
}
