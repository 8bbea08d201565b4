import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '@/api/client';
import { wordsOf } from '@/shared/errors';
import { paths } from '@/shared/paths';
import { useGo } from '@/shared/ui/AppLink';
import { Notice } from '@/shared/ui/blocks';
import { AuthFrame } from './AuthFrame';
import { confirmRegistration, mayPass } from './api';

const reasonOf = (error: Error) =>
  error instanceof ApiError && error.status === 404 ? 'This link is not complete, or it is not from here.' : wordsOf(error);

/** Opened by the link of an e-mail, whose token stands in the fragment. */
export function ConfirmRegistrationPage() {
  const go = useGo();
  const [token] = useState(() => window.location.hash.slice(1));
  const confirm = useMutation({ mutationFn: () => confirmRegistration(token), meta: { ownErrors: true } });
  const { mutate } = confirm;
  const begun = useRef(false);
  useEffect(() => {
    if (begun.current) return;
    begun.current = true;
    mutate();
  }, [mutate]);
  return (
    <AuthFrame>
      <h1>{confirm.data ? 'Your account is open' : 'Your registration'}</h1>
      {confirm.data ? (
        <>
          <p className="cp-auth-lead">Please sign in as {confirm.data.userName}. A few steps are left before documents can be exchanged.</p>
          <Button size="md" onClick={() => go(paths.login())}>
            Sign in
          </Button>
        </>
      ) : confirm.error ? (
        <div className="cp-auth-form">
          <Notice kind="error">{reasonOf(confirm.error)}</Notice>
          {mayPass(confirm.error) ? (
            <Button size="md" onClick={() => mutate()}>
              Try again
            </Button>
          ) : (
            <Button size="md" onClick={() => go(paths.register)}>
              Register again
            </Button>
          )}
          <Button size="md" variant="default" onClick={() => go(paths.login())}>
            Go to sign-in
          </Button>
        </div>
      ) : (
        <p className="cp-auth-lead" role="status">
          One moment …
        </p>
      )}
    </AuthFrame>
  );
}
