import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { FirstOperator } from '@/api/limits.gen';
import { enter } from '@/app/session';
import { PasswordField } from '@/shared/form/inputs';
import { Fields, type Field, textField, useFieldForm } from '@/shared/form/fields';
import { Form } from '@/shared/form/Form';
import { paths } from '@/shared/paths';
import { useGo } from '@/shared/ui/AppLink';
import { NoticeList } from '@/shared/ui/blocks';
import { AuthFrame } from './AuthFrame';
import { OfLink } from './ChoosePassword';
import { createFirstOperator, setupLinkQuery } from './api';

const passwordField: Field<string> = {
  label: 'Password',
  initial: '',
  description: 'At least 15 characters. Several unrelated words are easy to remember and hard to guess.',
  required: 'Please choose a password.',
  show: () => 'a password',
  check: (value) => ([...value].length < 15 ? 'Please use at least 15 characters.' : null),
  control: (props, bound) => <PasswordField autoComplete="new-password" {...props} {...bound} />,
};
const fields = {
  firstName: textField('First name', { half: true }),
  lastName: textField('Last name', { half: true }),
  email: textField('E-mail address', { description: 'Your username, and the address for sign-in codes.' }),
  password: passwordField,
};
const ANEW = { label: 'Go to sign-in', href: paths.login() };

/** Opened by the link that the terminal of a new installation shows; its token is in the fragment. */
export function FirstOperatorPage() {
  const [token] = useState(() => window.location.hash.slice(1));
  const link = useQuery({ ...setupLinkQuery(token), enabled: token !== '' });
  return (
    <AuthFrame title="Set up this installation">
      <OfLink token={token} link={link} anew={ANEW}>
        {() => <NewOperator token={token} />}
      </OfLink>
    </AuthFrame>
  );
}

function NewOperator({ token }: { token: string }) {
  const go = useGo();
  const { form, busy, formErrors, onSubmit } = useFieldForm({
    fields,
    limits: FirstOperator,
    submit: async (values) => {
      // Texts of forms are trimmed; a password is not.
      await enter(await createFirstOperator({ token, ...values, password: form.getValues().password }));
      go(paths.adminSetup, { replace: true });
    },
  });
  return (
    <>
      <p className="cp-auth-lead">You become its first operator. The steps of setup follow.</p>
      <Form className="cp-auth-form" onSubmit={onSubmit}>
        <NoticeList kind="error" messages={formErrors} />
        <Fields of={fields} limits={FirstOperator} form={form} autoFocus />
        <Button size="md" type="submit" fullWidth loading={busy}>
          Create my account
        </Button>
      </Form>
    </>
  );
}
