import { Button, TextInput, UnstyledButton } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { IconDeviceMobile, IconFingerprint, IconLifebuoy, IconMail } from '@tabler/icons-react';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { enter } from '@/app/session';
import { ApiError } from '@/api/client';
import type { AccessToken, Challenge, Method } from '@/api/types';
import { wordsOf } from '@/shared/errors';
import { useGo } from '@/shared/ui/AppLink';
import { Notice } from '@/shared/ui/blocks';
import type { Icon } from '@/shared/ui/states';
import { hasDeclined, passkeysSupported } from '@/shared/webauthn';
import { answerCode, answerPasskey, sendCode } from './api';

const WAYS: Record<Method, { icon: Icon; choose: string; lead: (email: string) => string }> = {
  passkey: { icon: IconFingerprint, choose: 'Use a passkey', lead: () => 'Confirm your identity with your passkey.' },
  app: { icon: IconDeviceMobile, choose: 'Use your authenticator app', lead: () => 'Enter the code that your authenticator app shows.' },
  email: { icon: IconMail, choose: 'Get a code by e-mail', lead: (email) => `Enter the code that we sent to ${email}.` },
  recovery: { icon: IconLifebuoy, choose: 'Use a recovery code', lead: () => 'Enter one of your recovery codes. Each works once.' },
};

/** Whether the whole sign-in is over. */
const isOver = (error: Error) => error instanceof ApiError && (error.status === 401 || error.status === 403);

/** The second step of a sign-in. `onOver` starts over, with a reason if there is one. */
export function SecondStep({ challenge, onOver }: { challenge: Challenge; onOver: (reason?: string) => void }) {
  const go = useGo();
  const methods = challenge.methods.filter((m) => m !== 'passkey' || passkeysSupported());
  const [method, setMethod] = useState<Method | undefined>(methods[0]);
  const step = useMutation({
    mutationFn: async (answer: () => Promise<AccessToken>) => enter(await answer()),
    onSuccess: (target) => go(target, { replace: true }),
    onError: (error) => isOver(error) && onOver(wordsOf(error)),
    meta: { ownErrors: true },
  });
  const choose = (next: Method) => {
    step.reset();
    setMethod(next);
  };
  const { error } = step;
  return (
    <>
      {method ? (
        <p className="cp-auth-lead">{WAYS[method].lead(challenge.email ?? 'your e-mail address')}</p>
      ) : (
        <p className="cp-auth-lead">Your passkey cannot be used in this browser. Please sign in with the browser that you added it in.</p>
      )}
      <div className="cp-auth-form">
        {error && !isOver(error) && (
          <Notice kind="error">
            {hasDeclined(error) ? 'No passkey was used. Please try again, or use another method.' : wordsOf(error)}
          </Notice>
        )}
        {method === 'passkey' && (
          <Button size="md" fullWidth loading={step.isPending} onClick={() => step.mutate(() => answerPasskey(challenge.challenge))}>
            Use your passkey
          </Button>
        )}
        {method && method !== 'passkey' && (
          <CodeForm
            key={method}
            method={method}
            busy={step.isPending}
            onCode={(code) => step.mutate(() => answerCode(challenge.challenge, method, code))}
          />
        )}
        {method === 'email' && <SendAgain challenge={challenge.challenge} onOver={onOver} />}
      </div>
      <ul className="cp-ways" aria-label="Other ways">
        {methods
          .filter((m) => m !== method)
          .map((m) => {
            const { icon: IconOf, choose: label } = WAYS[m];
            return (
              <li key={m}>
                <UnstyledButton className="cp-link cp-row" onClick={() => choose(m)}>
                  <IconOf size={16} stroke={1.6} aria-hidden />
                  {label}
                </UnstyledButton>
              </li>
            );
          })}
        <li>
          <UnstyledButton className="cp-link" onClick={() => onOver()}>
            Sign in as somebody else
          </UnstyledButton>
        </li>
      </ul>
    </>
  );
}

function CodeForm({ method, busy, onCode }: { method: Method; busy: boolean; onCode: (code: string) => void }) {
  const [code, setCode] = useState('');
  const [wrong, setWrong] = useState<string | null>(null);
  const isRecovery = method === 'recovery';
  const submit = (e: FormEvent) => {
    e.preventDefault();
    const given = code.replace(isRecovery ? /\s/g : /\D/g, '');
    if (isRecovery ? given : given.length === 6) return onCode(given);
    setWrong(isRecovery ? 'Please enter the code.' : 'The code has 6 digits.');
  };
  return (
    <form noValidate onSubmit={submit} className="cp-auth-form">
      <TextInput
        size="md"
        label={isRecovery ? 'Recovery code' : 'Code'}
        required
        autoFocus
        autoComplete={isRecovery ? 'off' : 'one-time-code'}
        inputMode={isRecovery ? 'text' : 'numeric'}
        autoCapitalize="none"
        spellCheck={false}
        maxLength={isRecovery ? 40 : 12}
        classNames={{ input: 'cp-code' }}
        value={code}
        error={wrong}
        onChange={(e) => {
          setWrong(null);
          setCode(e.currentTarget.value);
        }}
      />
      <Button size="md" type="submit" fullWidth loading={busy}>
        Sign in
      </Button>
    </form>
  );
}

/** Sends the first code automatically, and another one on request after a while. */
function SendAgain({ challenge, onOver }: { challenge: string; onOver: (reason?: string) => void }) {
  const [left, setLeft] = useState(0);
  const send = useMutation({
    mutationFn: () => sendCode(challenge),
    onSuccess: ({ resendAfter }) => setLeft(resendAfter),
    onError: (error) => (isOver(error) ? onOver(wordsOf(error)) : setLeft(30)),
    meta: { ownErrors: true },
  });
  const { mutate } = send;
  const begun = useRef(false);
  useEffect(() => {
    if (begun.current) return;
    begun.current = true;
    mutate();
  }, [mutate]);
  useEffect(() => {
    if (left <= 0) return;
    const timer = setTimeout(() => setLeft(left - 1), 1000);
    return () => clearTimeout(timer);
  }, [left]);
  return (
    <>
      {send.error && !isOver(send.error) && <Notice kind="info">{wordsOf(send.error)}</Notice>}
      <Button size="md" variant="default" disabled={left > 0} loading={send.isPending} onClick={() => send.mutate()}>
        {left > 0 ? `Send another code (in ${left} s)` : 'Send another code'}
      </Button>
    </>
  );
}
