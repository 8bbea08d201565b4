import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { IconKey } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { rememberConnection } from '@/app/redirectMemory';
import { forgetProviderStep, lastProviderStep, leaveForProvider, takeArrival } from '@/app/session';
import { wordsOf } from '@/shared/errors';
import { paths } from '@/shared/paths';
import { AppLink } from '@/shared/ui/AppLink';
import { Notice } from '@/shared/ui/blocks';
import { AuthFrame } from './AuthFrame';
import { SecondStep } from './SecondStep';

/** Sign-in with the provider of an organization, and the second step if required afterwards. */
export function ProviderPage({ connection }: { connection: string }) {
  const [challenge, setChallenge] = useState(lastProviderStep);
  const [reason, setReason] = useState<string>();
  const over = (why?: string) => {
    forgetProviderStep();
    setReason(why);
    setChallenge(null);
  };
  return (
    <AuthFrame title={challenge ? 'One more step' : 'Sign in'}>
      {challenge ? <SecondStep challenge={challenge} onOver={over} /> : <Leave connection={connection} reason={reason} />}
    </AuthFrame>
  );
}

function Leave({ connection, reason }: { connection: string; reason: string | undefined }) {
  const [leaving, setLeaving] = useState(false);
  const leave = useMutation({
    mutationFn: () => leaveForProvider(connection),
    // This page stays until the provider's has loaded.
    onSuccess: () => setLeaving(true),
    meta: { ownErrors: true },
  });
  const { mutate } = leave;
  useEffect(() => {
    if (takeArrival()) mutate();
  }, [mutate]);
  const error = leave.error ? wordsOf(leave.error) : leave.isIdle ? reason : undefined;
  return (
    <>
      <p className="cp-auth-lead">with the account that your organization gave you. You will be taken to its sign-in page and back.</p>
      <div className="cp-auth-form">
        {error && <Notice kind="error">{error}</Notice>}
        <Button
          size="md"
          fullWidth
          leftSection={<IconKey size={17} stroke={1.6} />}
          loading={leave.isPending || leaving}
          onClick={() => leave.mutate()}
        >
          Continue with {connection}
        </Button>
      </div>
      <p className="cp-auth-links">
        <AppLink href={paths.login()} className="cp-link" onClick={() => rememberConnection(null)}>
          Sign in with a password
        </AppLink>
      </p>
    </>
  );
}
