import { ActionIcon, CopyButton } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';

/** Copies a text. `name` labels the button for screen readers; the text itself by default. */
export function CopyIcon({ value, name = value }: { value: string; name?: string }) {
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <ActionIcon size={24} variant="subtle" aria-label={`${copied ? 'Copied' : 'Copy'} ${name}`} onClick={copy}>
          {copied ? <IconCheck size={15} stroke={2} /> : <IconCopy size={15} stroke={1.6} />}
        </ActionIcon>
      )}
    </CopyButton>
  );
}
