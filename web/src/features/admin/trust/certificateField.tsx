import { Button, FileButton, Input, Textarea } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import type { ControlProps, Field } from '@/shared/form/fields';
import { fileError, pemOf } from './rules';

type Bound = { value: string; error?: string; onChange: (value: string) => void };

function CertificateInput({ value, error, onChange, label, ...props }: ControlProps & Bound & { maxLength?: number }) {
  const [refused, setRefused] = useState<string | null>(null);
  const reset = useRef<() => void>(null);
  const take = async (file: File | null) => {
    if (!file) return;
    const problem = fileError(file);
    setRefused(problem);
    if (!problem) onChange(pemOf(new Uint8Array(await file.arrayBuffer())));
    reset.current?.();
  };
  return (
    <>
      <Textarea
        className="cp-mono"
        label={label}
        {...props}
        rows={5}
        placeholder="-----BEGIN CERTIFICATE-----"
        spellCheck={false}
        autoComplete="off"
        value={value}
        error={error}
        onChange={(e) => onChange(e.currentTarget.value)}
      />
      <FileButton
        accept=".pem,.crt,.cer,.der"
        resetRef={reset}
        onChange={(file) => void take(file)}
        inputProps={{ 'aria-label': `${label}: file` }}
      >
        {(button) => (
          <Button mt={8} variant="default" leftSection={<IconUpload size={16} stroke={1.6} />} {...button}>
            Choose a file
          </Button>
        )}
      </FileButton>
      {refused && (
        <Input.Error role="alert" mt={6}>
          {refused}
        </Input.Error>
      )}
    </>
  );
}

/** One certificate: pasted (PEM), or the file of one (PEM or DER). */
export const certificateField = (label: string, options: Pick<Field<string>, 'description' | 'when'> = {}): Field<string> => ({
  ...options,
  label,
  initial: '',
  show: (value) => (value ? 'a certificate' : 'none'),
  control: (props, bound, limit) => <CertificateInput {...props} maxLength={limit?.maxLength} {...(bound as Bound)} />,
});
