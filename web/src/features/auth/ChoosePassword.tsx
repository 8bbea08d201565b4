import { Button } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type UseQueryResult, useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiError } from '@/api/client';
import { PasswordField } from '@/shared/form/inputs';
import { wordsOf } from '@/shared/errors';
import { paths } from '@/shared/paths';
import { useGo } from '@/shared/ui/AppLink';
import { Notice } from '@/shared/ui/blocks';
import { mayPass } from './api';

const UNKNOWN_LINK = 'This link is incomplete or invalid.';

/** The message for a link that does not work. */
const reasonOf = (error: Error) => (error instanceof ApiError && error.status === 404 ? UNKNOWN_LINK : wordsOf(error));

type Anew = { label: string; href: string };

/** Shown instead of the form if the link does not work: a retry after a failure, otherwise a way to a new link. */
function VoidLink({ reason, anew, onRetry }: { reason: string; anew: Anew; onRetry?: () => void }) {
  const go = useGo();
  return (
    <div className="cp-auth-form">
      <Notice kind="error">{reason}</Notice>
      {onRetry ? (
        <Button size="md" onClick={onRetry}>
          Try again
        </Button>
      ) : (
        <Button size="md" onClick={() => go(anew.href)}>
          {anew.label}
        </Button>
      )}
      <Button size="md" variant="default" onClick={() => go(paths.login())}>
        Go to sign-in
      </Button>
    </div>
  );
}

type OfLinkProps<T> = { token: string; link: UseQueryResult<T>; anew: Anew; children: (known: T) => ReactNode };

/** The content behind a link, once the server has checked it. */
export function OfLink<T>({ token, link, anew, children }: OfLinkProps<T>) {
  if (link.data) return children(link.data);
  if (token === '') return <VoidLink reason={UNKNOWN_LINK} anew={anew} />;
  if (link.error) {
    return <VoidLink reason={reasonOf(link.error)} anew={anew} onRetry={mayPass(link.error) ? () => void link.refetch() : undefined} />;
  }
  return (
    <p className="cp-auth-lead" role="status">
      One moment …
    </p>
  );
}

type Props<T> = {
  userName: string;
  /** Minimum number of characters. */
  shortest: number;
  /** The label of the button. */
  act: string;
  anew: Anew;
  save: (password: string) => Promise<T>;
  onSaved: (answer: T) => void;
};

/** Chooses a password after following the link of an e-mail; entered twice. */
export function ChoosePassword<T>({ userName, shortest, act, anew, save: send, onSaved }: Props<T>) {
  const form = useForm({
    mode: 'controlled',
    initialValues: { password: '', again: '' },
    validate: {
      password: (v) => ([...v].length < shortest ? `Please use at least ${shortest} characters.` : null),
      again: (v, all) => (v === all.password ? null : 'The two passwords differ.'),
    },
  });
  const save = useMutation({
    mutationFn: send,
    onSuccess: onSaved,
    onError: (error) => {
      const texts = error instanceof ApiError ? error.modelState.password : undefined;
      if (texts) form.setFieldError('password', texts.join(' '));
    },
    meta: { ownErrors: true },
  });
  const hasVoidLink = save.error instanceof ApiError && (save.error.status === 409 || save.error.status === 404);
  if (hasVoidLink && save.error) return <VoidLink reason={reasonOf(save.error)} anew={anew} />;
  const ofForm = save.error && !(save.error instanceof ApiError && save.error.modelState.password) ? save.error : null;
  return (
    <form noValidate className="cp-auth-form" onSubmit={form.onSubmit(({ password }) => save.mutate(password))}>
      {ofForm && <Notice kind="error">{wordsOf(ofForm)}</Notice>}
      <input type="hidden" name="username" autoComplete="username" value={userName} />
      <PasswordField
        size="md"
        label="New password"
        description={`At least ${shortest} characters. Several unrelated words are easy to remember and hard to guess.`}
        required
        autoFocus
        autoComplete="new-password"
        {...form.getInputProps('password')}
      />
      <PasswordField size="md" label="Confirm new password" required autoComplete="new-password" {...form.getInputProps('again')} />
      <Button size="md" type="submit" fullWidth loading={save.isPending}>
        {act}
      </Button>
    </form>
  );
}
