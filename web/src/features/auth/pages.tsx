import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { storedConnection } from '@/app/redirectMemory';
import { lastSsoRefusal } from '@/app/session';
import { paths } from '@/shared/paths';
import { useGo } from '@/shared/ui/AppLink';
import { AuthFrame } from './AuthFrame';

/** A page with one message and a link. */
function Message({ title, text, children }: { title: string; text: string; children?: ReactNode }) {
  return (
    <AuthFrame title={title}>
      <p className="cp-auth-lead">{text}</p>
      <div className="cp-row">{children}</div>
    </AuthFrame>
  );
}

function Lead({ to, label, primary }: { to: string; label: string; primary?: boolean }) {
  const go = useGo();
  return (
    <Button size="md" variant={primary ? 'filled' : 'default'} onClick={() => go(to)}>
      {label}
    </Button>
  );
}

export const SignedOutPage = () => (
  <Message title="You are signed out" text="Thank you. Close this window if others use this computer.">
    <Lead primary to={paths.login(storedConnection())} label="Sign in again" />
  </Message>
);

export const UnauthorizedPage = () => (
  <Message title="Not authorized" text="Your account may not open this page. Ask an administrator of your organization if you need it.">
    <Lead primary to={paths.root} label="Go to my start page" />
    <Lead to={paths.logout} label="Sign out" />
  </Message>
);

export const AccessDeniedPage = () => (
  <Message
    title="Access denied"
    text="Your organization or network does not allow signing in from here. Ask an administrator of your organization."
  >
    <Lead primary to={paths.login()} label="Go to sign-in" />
  </Message>
);

export const AuthErrorPage = () => (
  <Message
    title="Sign-in did not work"
    text={
      lastSsoRefusal() ??
      'The sign-in could not be completed. Please try again; if it fails again, contact an administrator of your organization.'
    }
  >
    <Lead primary to={paths.login(storedConnection())} label="Try again" />
  </Message>
);

export const UnsupportedBrowserPage = () => (
  <Message
    title="This browser is too old"
    text="Please use a current version of Chrome, Edge, Firefox or Safari. Older browsers cannot show documents safely."
  />
);
