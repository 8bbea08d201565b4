import { Button, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { IconCopy } from '@tabler/icons-react';
import { useState } from 'react';
import { quiet } from '@/api/client';
import { itemsOf, queryOf } from '@/api/query';
import type { Duplicate, Message } from '@/api/types';
import { messageQuery } from '@/domain/messaging/api';
import { Viewer } from '@/domain/messaging/viewer/Viewer';
import { Waiting } from '@/domain/messaging/viewer/Waiting';
import { formatAddress, formatWhen } from '@/shared/format';
import { paths } from '@/shared/paths';
import { AppLink } from '@/shared/ui/AppLink';
import { Dialog } from '@/shared/ui/Dialog';
import { ErrorState } from '@/shared/ui/blocks';
import { Status } from '@/shared/ui/status';
import { MessageBody } from './MessageBody';

const LIKENESS: Record<Duplicate['likeness'], string> = {
  SameFile: 'The same file',
  SameFax: 'A fax with the same text',
  SamePatientAndDate: 'The same patient and document date',
};

const duplicatesQuery = (id: string) => ({
  ...itemsOf(queryOf('get', '/api/messages/{id}/duplicates', { params: { path: { id } }, ...quiet })),
  staleTime: 60_000,
});

/** Number shown at first, so that the content below stays visible. */
const SHOWN = 2;

/** Possible duplicates, each with a side-by-side comparison. */
export function Duplicates({ message }: { message: Message }) {
  // Without an answer there is no hint.
  const { data: found = [] } = useQuery(duplicatesQuery(message.id));
  const [compared, compare] = useState<Duplicate | null>(null);
  const [showsAll, { open: showAll }] = useDisclosure();
  if (found.length === 0) return null;
  const shown = showsAll ? found : found.slice(0, SHOWN);
  return (
    <section className="cp-sec cp-dups" aria-labelledby="duplicates">
      <div className="cp-sec-h">
        <IconCopy size={16} stroke={1.8} aria-hidden />
        <h2 id="duplicates">Possible duplicate</h2>
      </div>
      <ul>
        {shown.map((d) => (
          <li key={d.id}>
            <span className="cp-strong cp-block">{LIKENESS[d.likeness]}</span>
            <AppLink href={paths.intakeMessage(d.id)} className="cp-link cp-ell cp-block">
              {d.subject || 'No subject'}
            </AppLink>
            <span className="cp-row cp-muted">
              <span className="cp-grow">{formatWhen(d.createdDate)}</span>
              <Status state={d.status} />
            </span>
            <UnstyledButton className="cp-link" onClick={() => compare(d)}>
              Compare
            </UnstyledButton>
          </li>
        ))}
      </ul>
      {shown.length < found.length && (
        <UnstyledButton className="cp-link" onClick={showAll}>
          Show {found.length - shown.length} more
        </UnstyledButton>
      )}
      {compared && <CompareDialog message={message} other={compared} onClose={() => compare(null)} />}
    </section>
  );
}

function CompareDialog({ message, other, onClose }: { message: Message; other: Duplicate; onClose: () => void }) {
  const { data, error, refetch } = useQuery(messageQuery(other.id));
  return (
    <Dialog
      opened
      onClose={onClose}
      title={LIKENESS[other.likeness]}
      size={1320}
      footer={
        <>
          <div className="cp-grow" />
          <Button size="md" variant="default" data-autofocus onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      <div className="cp-compare">
        <Side title="This message" message={message} />
        {data ? (
          <Side title="The other one" message={data} />
        ) : error ? (
          <ErrorState title="The message could not be loaded" error={error} onRetry={() => void refetch()} />
        ) : (
          <Waiting text="Opening the message" />
        )}
      </div>
    </Dialog>
  );
}

function Side({ title, message }: { title: string; message: Message }) {
  const file = message.attachments.find((a) => a.previewAvailable !== 'Failed') ?? message.attachments[0];
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <p className="cp-second cp-ell">
        {message.fromName || formatAddress(message.fromAddress ?? '')} · {formatWhen(message.createdDate)} · {message.status}
      </p>
      <div className="cp-compared">{file ? <Viewer attachment={file} /> : <MessageBody message={message} />}</div>
    </section>
  );
}
