import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { paths } from '@/shared/paths';
import { useGo } from '@/shared/ui/AppLink';
import { AuthFrame } from './AuthFrame';
import { ChoosePassword, reasonOf, UNKNOWN_LINK, VoidLink } from './ChoosePassword';
import { confirmRegistration, mayPass, registrationLinkQuery } from './api';

const ANEW = { label: 'Register again', href: paths.register };

/** Opened by the link of an e-mail, whose token stands in the fragment. */
export function ConfirmRegistrationPage() {
  const [token] = useState(() => window.location.hash.slice(1));
  const [opened, setOpened] = useState<{ userName: string } | null>(null);
  const link = useQuery({ ...registrationLinkQuery(token), enabled: token !== '' });
  return (
    <AuthFrame>
      <h1>{opened ? 'Your account is open' : 'Your registration'}</h1>
      {opened ? (
        <Opened userName={opened.userName} />
      ) : link.data ? (
        <>
          <p className="cp-auth-lead">
            <b className="cp-strong">{link.data.organization}</b>, with <b className="cp-strong">{link.data.userName}</b> as its
            administrator. Is it not yours? Then simply close this page.
          </p>
          <ChoosePassword
            userName={link.data.userName}
            shortest={link.data.shortest}
            act="Open the account"
            anew={ANEW}
            save={(password) => confirmRegistration(token, password)}
            onSaved={setOpened}
          />
        </>
      ) : token === '' ? (
        <VoidLink reason={UNKNOWN_LINK} anew={ANEW} />
      ) : link.error ? (
        <VoidLink reason={reasonOf(link.error)} anew={ANEW} onRetry={mayPass(link.error) ? () => void link.refetch() : undefined} />
      ) : (
        <p className="cp-auth-lead" role="status">
          One moment …
        </p>
      )}
    </AuthFrame>
  );
}

function Opened({ userName }: { userName: string }) {
  const go = useGo();
  return (
    <>
      <p className="cp-auth-lead">Please sign in as {userName}. A few steps are left before documents can be exchanged.</p>
      <Button size="md" onClick={() => go(paths.login())}>
        Sign in
      </Button>
    </>
  );
}
