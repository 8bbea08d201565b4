import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { IconCopy, IconDownload, IconPrinter } from '@tabler/icons-react';
import { useState } from 'react';
import type { PasswordOrCode } from '@/api/types';
import { useProfile } from '@/app/session';
import { NO_PROOF, PasswordOrCodeFields, usePasswordOrCode } from '@/domain/identity/PasswordOrCode';
import { reportError } from '@/shared/errors';
import { PasswordField } from '@/shared/form/inputs';
import { useServerForm } from '@/shared/form/useServerForm';
import { notify } from '@/shared/notify';
import { madeName, saveFile } from '@/shared/saveFile';
import { Dialog } from '@/shared/ui/Dialog';
import { FormDialog } from '@/shared/ui/FormDialog';
import { hasDeclined } from '@/shared/webauthn';
import { confirmAuthenticator, startAuthenticator } from './api';

const CURRENT_PASSWORD = 'Your password';
const required = (text: string) => (v: string) => (v.trim() ? null : text);

/** A change that requires the password again, and a name if needed. */
export type Question = {
  title: string;
  text: string;
  label: string;
  danger?: boolean;
  /** The initial name, if one is required. */
  name?: string;
  /** Answers recovery codes to be shown, if there are new ones. */
  run: (password: string, name: string) => Promise<{ recoveryCodes: string[] } | undefined>;
  done: string;
};

export function PasswordDialog({
  question,
  onClose,
  onCodes,
}: {
  question: Question;
  onClose: () => void;
  onCodes: (codes: string[]) => void;
}) {
  const asksName = question.name !== undefined;
  const { form, ...rest } = useServerForm({
    initialValues: { name: question.name ?? '', password: '' },
    validate: {
      name: (v) => (asksName ? required('Please enter a name.')(v) : null),
      password: required('Please enter your password.'),
    },
    submit: async ({ name, password }) => {
      try {
        const answer = await question.run(password, name.trim());
        onClose();
        notify('success', question.done);
        if (answer?.recoveryCodes.length) onCodes(answer.recoveryCodes);
      } catch (error) {
        if (!hasDeclined(error)) throw error;
        notify('info', 'No passkey was made. You can try again.');
      }
    },
  });
  return (
    <FormDialog title={question.title} label={question.label} danger={question.danger} onClose={onClose} {...rest}>
      <p className="cp-second">{question.text}</p>
      {asksName && <TextInput size="md" label="Name" required maxLength={60} data-autofocus {...form.getInputProps('name')} />}
      <PasswordField
        size="md"
        label={CURRENT_PASSWORD}
        required
        autoComplete="current-password"
        data-autofocus={!asksName || undefined}
        {...form.getInputProps('password')}
      />
    </FormDialog>
  );
}

/** Runs after the person's identity is confirmed again. */
export type Ending = {
  title: string;
  subject: string;
  text: string;
  run: (given: PasswordOrCode) => Promise<unknown>;
  done: () => void;
};

/** Ends sessions, with the password, or a code by e-mail if there is none. */
export function EndDialog({ ending, onClose }: { ending: Ending; onClose: () => void }) {
  const { authStrategy } = useProfile();
  const proof = usePasswordOrCode();
  const { form, ...rest } = useServerForm({
    initialValues: NO_PROOF,
    validate: proof.validate,
    submit: async (values) => {
      await ending.run(proof.given(values));
      onClose();
      ending.done();
    },
  });
  return (
    <FormDialog title={ending.title} label={ending.title} danger onClose={onClose} {...rest}>
      <p className="cp-subject">{ending.subject}</p>
      <p className="cp-second">{ending.text}</p>
      <PasswordOrCodeFields form={form} proof={proof} offersCode={authStrategy === 'sso'} />
    </FormDialog>
  );
}

type Setup = { challenge: string; secret: string; uri: string; qrSvg: string };

/** Sets up an authenticator app: the password, the QR code, the first code. */
export function AuthenticatorDialog({ onClose, onCodes }: { onClose: () => void; onCodes: (codes: string[]) => void }) {
  const [setup, setSetup] = useState<Setup | null>(null);
  return setup ? <FirstCode setup={setup} onClose={onClose} onCodes={onCodes} /> : <BeforeSetup onClose={onClose} onSetup={setSetup} />;
}

function BeforeSetup({ onClose, onSetup }: { onClose: () => void; onSetup: (setup: Setup) => void }) {
  const { form, ...rest } = useServerForm({
    initialValues: { password: '' },
    validate: { password: required('Please enter your password.') },
    submit: async ({ password }) => onSetup(await startAuthenticator(password)),
  });
  return (
    <FormDialog title="Set up an authenticator app" label="Continue" onClose={onClose} {...rest}>
      <p className="cp-second">You need an app such as Aegis, Google Authenticator or 1Password on your telephone.</p>
      <PasswordField
        size="md"
        label={CURRENT_PASSWORD}
        required
        autoComplete="current-password"
        data-autofocus
        {...form.getInputProps('password')}
      />
    </FormDialog>
  );
}

function FirstCode({ setup, onClose, onCodes }: { setup: Setup; onClose: () => void; onCodes: (codes: string[]) => void }) {
  const { form, ...rest } = useServerForm({
    initialValues: { code: '' },
    validate: { code: (v) => (/^\d{6}$/.test(v.replace(/\s/g, '')) ? null : 'The code has 6 digits.') },
    submit: async ({ code }) => {
      const { recoveryCodes } = await confirmAuthenticator(setup.challenge, code);
      onClose();
      notify('success', 'Your authenticator app is set up.');
      if (recoveryCodes.length) onCodes(recoveryCodes);
    },
  });
  return (
    <FormDialog title="Set up an authenticator app" label="Confirm" onClose={onClose} {...rest}>
      <p className="cp-second">1. Scan this with the app, or type the secret into it.</p>
      <img className="acc-qr" src={`data:image/svg+xml,${encodeURIComponent(setup.qrSvg)}`} alt="QR code of the secret" />
      <p>
        <span className="cp-muted">Secret: </span>
        <span className="acc-secret" data-secret>
          {setup.secret.replace(/(.{4})(?=.)/g, '$1 ')}
        </span>
      </p>
      <p className="cp-second">2. Enter the code that the app shows now.</p>
      <TextInput
        size="md"
        label="Code"
        required
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={12}
        data-autofocus
        classNames={{ input: 'cp-code' }}
        {...form.getInputProps('code')}
      />
    </FormDialog>
  );
}

/** Recovery codes, which are shown this once. */
export function CodesDialog({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  const text = `${codes.join('\n')}\n`;
  const copy = useMutation({
    mutationFn: () => navigator.clipboard.writeText(text),
    onSuccess: () => notify('success', 'The codes were copied.'),
    onError: (error) => reportError(error, 'The codes could not be copied. Please download or print them.'),
    meta: { ownErrors: true },
  });
  return (
    <Dialog
      opened
      locked
      onClose={onClose}
      title="Your recovery codes"
      size={560}
      footer={
        <>
          <div className="cp-grow" />
          <Button size="md" onClick={onClose}>
            I have saved them
          </Button>
        </>
      }
    >
      <div className="acc-main">
        <p className="cp-second">
          Each code works once, for when your telephone or key is not at hand. Keep them in a safe place: they are shown only once.
        </p>
        <ul className="acc-codes" aria-label="Recovery codes">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <div className="acc-buttons">
          <Button
            size="md"
            variant="default"
            leftSection={<IconCopy size={16} stroke={1.6} />}
            onClick={() => copy.mutate()}
            data-autofocus
          >
            Copy
          </Button>
          <Button
            size="md"
            variant="default"
            leftSection={<IconDownload size={16} stroke={1.6} />}
            onClick={() => saveFile(new Blob([text], { type: 'text/plain' }), madeName('recovery-codes', 'txt'))}
          >
            Download
          </Button>
          <Button size="md" variant="default" leftSection={<IconPrinter size={16} stroke={1.6} />} onClick={() => window.print()}>
            Print
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
