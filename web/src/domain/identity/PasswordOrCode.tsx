import { TextInput, UnstyledButton } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, unwrap } from '@/api/client';
import type { PasswordOrCode } from '@/api/types';
import { useProfile } from '@/app/session';
import { PasswordField } from '@/shared/form/inputs';
import { notify } from '@/shared/notify';

/** Initial values of the fields that confirm the caller's identity again. */
export const NO_PROOF = { password: '', code: '' };
type Proof = typeof NO_PROOF;

/** The caller's password, or a code by e-mail if there is none: fields and request values. */
export function usePasswordOrCode() {
  const { userId } = useProfile();
  const [byMail, setByMail] = useState(false);
  const send = useMutation({
    mutationFn: () => unwrap(api.POST('/api/users/{id}/sendcode', { params: { path: { id: userId } } })),
    onSuccess: () => {
      setByMail(true);
      notify('info', 'A code is on its way to your e-mail address.');
    },
  });
  return {
    byMail,
    send,
    validate: {
      password: (v: string) => (!byMail && !v ? 'Please enter your password.' : null),
      code: (v: string) => (byMail && !v.trim() ? 'Please enter the code.' : null),
    },
    given: ({ password, code }: Proof): PasswordOrCode => (byMail ? { code: code.trim() } : { password }),
  };
}

/** The fields of [usePasswordOrCode]. */
export function PasswordOrCodeFields<T extends Proof>({
  form,
  proof: { byMail, send },
  offersCode = true,
}: {
  form: Pick<UseFormReturnType<T>, 'getInputProps'>;
  proof: ReturnType<typeof usePasswordOrCode>;
  offersCode?: boolean;
}) {
  if (byMail) {
    return (
      <TextInput
        size="md"
        label="Code by e-mail"
        required
        autoComplete="one-time-code"
        inputMode="numeric"
        maxLength={20}
        autoFocus
        {...form.getInputProps('code')}
      />
    );
  }
  return (
    <>
      <PasswordField
        size="md"
        label="Your password"
        required
        autoComplete="current-password"
        data-autofocus
        {...form.getInputProps('password')}
      />
      {offersCode && (
        <UnstyledButton className="cp-link" disabled={send.isPending} onClick={() => send.mutate()}>
          No password? Send a code by e-mail
        </UnstyledButton>
      )}
    </>
  );
}
