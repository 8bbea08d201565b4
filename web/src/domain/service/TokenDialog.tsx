import './service.css';
import { Button } from '@mantine/core';
import { IconCopy } from '@tabler/icons-react';
import { copyText } from '@/shared/copy';
import { Notice } from '@/shared/ui/blocks';
import { Dialog } from '@/shared/ui/Dialog';

/** The token, which is shown only once. */
export function TokenDialog({ token, hasAddresses, onClose }: { token: string; hasAddresses: boolean; onClose: () => void }) {
  return (
    <Dialog
      opened
      locked
      onClose={onClose}
      title="Token of the service account"
      size={600}
      footer={
        <>
          <div className="cp-grow" />
          <Button size="md" onClick={onClose}>
            I have saved it
          </Button>
        </>
      }
    >
      <div className="svc-form">
        <p className="cp-question cp-second">
          Your system sends this token with each call. Store it with your passwords: it is shown only once.
        </p>
        <code className="svc-token" data-secret>
          {token}
        </code>
        <div>
          <Button
            size="md"
            variant="default"
            leftSection={<IconCopy size={16} stroke={1.6} />}
            onClick={() => void copyText(token, 'The token was copied.')}
            data-autofocus
          >
            Copy
          </Button>
        </div>
        {!hasAddresses && <Notice kind="info">It can be used once you have entered the addresses that your system calls from.</Notice>}
      </div>
    </Dialog>
  );
}
