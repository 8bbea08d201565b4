import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { notify } from '@/shared/notify';
import { paths } from '@/shared/paths';
import { AppLink, useGo } from '@/shared/ui/AppLink';
import { AuthFrame } from './AuthFrame';
import { ChoosePassword, OfLink } from './ChoosePassword';
import { linkQuery, setPassword } from './api';

const ANEW = { label: 'Send me a new link', href: paths.forgotPassword };

/** Opened by the link of an e-mail, with the token in the fragment. */
export function SetPasswordPage() {
  const [token] = useState(() => window.location.hash.slice(1));
  const link = useQuery({ ...linkQuery(token), enabled: token !== '' });
  return (
    <AuthFrame title={link.data?.purpose === 'invitation' ? 'Welcome' : 'Set a new password'}>
      <OfLink token={token} link={link} anew={ANEW}>
        {({ userName, shortest }) => <NewPassword token={token} userName={userName} shortest={shortest} />}
      </OfLink>
    </AuthFrame>
  );
}

function NewPassword({ token, userName, shortest }: { token: string; userName: string; shortest: number }) {
  const go = useGo();
  const onSaved = () => {
    notify('success', 'Your password is set. Please sign in with it.');
    go(paths.login(), { replace: true });
  };
  return (
    <>
      <p className="cp-auth-lead">
        for <b className="cp-strong">{userName}</b>
      </p>
      <ChoosePassword
        userName={userName}
        shortest={shortest}
        act="Set the password"
        anew={ANEW}
        save={(password) => setPassword(token, password)}
        onSaved={onSaved}
      />
      <p className="cp-auth-links">
        <AppLink href={paths.login()} className="cp-link">
          Go to sign-in
        </AppLink>
      </p>
    </>
  );
}
