import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Webhook } from '@/api/types';
import { useAsk } from '@/shared/ui/AskDialog';
import { ErrorState } from '@/shared/ui/blocks';
import { CopyIcon } from '@/shared/ui/CopyIcon';
import { Dialog } from '@/shared/ui/Dialog';
import { renewSecret, secretQuery } from './api';

/** The key by which a system checks that an event comes from here. */
export function SecretDialog({ hook, onClose }: { hook: Webhook; onClose: () => void }) {
  const query = useQuery(secretQuery(hook.id));
  const [ask, question] = useAsk();
  const secret = query.data?.secret;
  const renew = () =>
    ask({
      title: 'New signing secret',
      subject: hook.name,
      question: 'Give your system the new secret at once. It cannot verify new events with the current one. Are you sure?',
      label: 'Create new secret',
      danger: true,
      run: async () => {
        await renewSecret(hook.id);
        await query.refetch();
      },
      done: 'The new signing secret was created.',
      failed: 'The secret could not be renewed. Please try again.',
    });
  return (
    <Dialog
      opened
      onClose={onClose}
      title="Signing secret"
      footer={
        <>
          <Button size="md" variant="default" color="red" disabled={!secret} onClick={renew}>
            New secret
          </Button>
          <div className="cp-grow" />
          <Button size="md" onClick={onClose} data-autofocus>
            Close
          </Button>
        </>
      }
    >
      <p className="cp-subject">{hook.name}</p>
      {query.error && !secret ? (
        <ErrorState title="The secret could not be loaded" error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <p className="cp-question" aria-busy={!secret}>
          {secret && (
            <>
              <code className="acc-break">{secret}</code> <CopyIcon value={secret} name="the signing secret" />
            </>
          )}
        </p>
      )}
      <p className="cp-second">
        The header webhook-signature holds v1, a comma and the HMAC-SHA-256 of webhook-id, webhook-timestamp and the body, joined by full
        stops, in base64. Refuse requests that do not match or are older than five minutes.
      </p>
      {question}
    </Dialog>
  );
}
