import { UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { Fields } from '@/shared/form/fields';
import { limits, tokenField } from './fields';
import type { EditorState } from './useEditor';

/** A token is for the address that it was entered for. */
const addressOf = (url: string | undefined) => (url ?? '').trim().replace(/\/+$/, '');

const Link = ({ onClick, children }: { onClick: () => void; children: string }) => (
  <UnstyledButton className="cp-link" onClick={onClick}>
    {children}
  </UnstyledButton>
);

type Props = {
  editor: EditorState;
  /** The test says that the service does not accept it. */
  isRefused: boolean;
};

/** The token with which a web service is called. A stored one is never shown: it is replaced or removed. */
export function Token({ editor: { form, record }, isRefused }: Props) {
  const [replaces, setReplaces] = useState(false);
  const { secret, forgetsSecret, baseUrl } = form.values;
  const isStored = record?.hasSecret ?? false;
  const isElsewhere = isStored && addressOf(baseUrl) !== addressOf(record?.baseUrl);
  const forget = (forgets: boolean) => form.setValues({ forgetsSecret: forgets, secret: '' });
  if (isStored && forgetsSecret) {
    return (
      <p className="int-line" role="status">
        The token is removed when you save. <Link onClick={() => forget(false)}>Keep it</Link>
      </p>
    );
  }
  if (isStored && !isElsewhere && !isRefused && !replaces && !secret) {
    return (
      <p className="int-line int-token">
        <span className="cp-grow">A token is stored.</span>
        <Link onClick={() => setReplaces(true)}>Replace</Link>
        <Link onClick={() => forget(true)}>Remove</Link>
      </p>
    );
  }
  return (
    <>
      <Fields of={tokenField} limits={limits} form={form as never} isNew={!record} />
      {isElsewhere && <p className="cp-second int-line">The stored token is for the previous address. Please enter the token again.</p>}
      {isStored && !isElsewhere && (
        <p className="int-line">
          <Link
            onClick={() => {
              setReplaces(false);
              form.setFieldValue('secret', '');
            }}
          >
            Keep the stored token
          </Link>
        </p>
      )}
    </>
  );
}
