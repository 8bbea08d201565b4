import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { paths } from '@/shared/paths';
import { useGo } from '@/shared/ui/AppLink';
import { AuthFrame } from './AuthFrame';
import { ChoosePassword, OfLink } from './ChoosePassword';
import { confirmRegistration, registrationLinkQuery } from './api';

const ANEW = { label: 'Register again', href: paths.register };

/** Opened by the link of an e-mail, with the token in the fragment. */
export function ConfirmRegistrationPage() {
  const [token] = useState(() => window.location.hash.slice(1));
  const [opened, setOpened] = useState<{ userName: string } | null>(null);
  const link = useQuery({ ...registrationLinkQuery(token), enabled: token !== '' });
  return (
    <AuthFrame title={opened ? 'Your account is open' : 'Your registration'}>
      {opened ? (
        <Opened userName={opened.userName} />
      ) : (
        <OfLink token={token} link={link} anew={ANEW}>
          {({ organization, userName, shortest }) => (
            <>
              <p className="cp-auth-lead">
                <b className="cp-strong">{organization}</b>, with <b className="cp-strong">{userName}</b> as its administrator. If this is
                not yours, close this page.
              </p>
              <ChoosePassword
                userName={userName}
                shortest={shortest}
                act="Open the account"
                anew={ANEW}
                save={(password) => confirmRegistration(token, password)}
                onSaved={setOpened}
              />
            </>
          )}
        </OfLink>
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
