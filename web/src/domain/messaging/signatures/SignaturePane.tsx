import './signatures.css';
import { ActionIcon, Button, Tooltip, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconPlus, IconWritingSign, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import type { Signer } from '@/api/types';
import { formatDateTime } from '@/shared/format';
import { tellsOf, useHubEvents } from '@/shared/hubs';
import { useAsk } from '@/shared/ui/AskDialog';
import { InlineBox, Notice } from '@/shared/ui/blocks';
import { Status } from '@/shared/ui/status';
import { signersQuery, useRefreshSignatures, useSigning } from './api';
import { DeclineDialog, RequestSignaturesDialog, type Signable } from './dialogs';
import { SignDialog } from './SignDialog';
import { SignedPdfs } from './SignedPdfs';

const WORDS: Record<Signer['state'], string> = { Waiting: 'To sign', Signed: 'Signed', Declined: 'Declined', Cancelled: 'Cancelled' };

/** One signer: the status, and the exact documents signed. */
function SignerRow({ signer: s, message, onCancel }: { signer: Signer; message: Signable; onCancel: () => void }) {
  const fileName = (id: string) => message.attachments.find((a) => a.id === id)?.fileName ?? 'Removed document';
  return (
    <li>
      <div className="cp-row">
        <b className="cp-grow cp-ell">{s.signer.name}</b>
        <Status state={s.state}>{WORDS[s.state]}</Status>
        {s.canBeCancelled && (
          <Tooltip label="Withdraw request">
            <ActionIcon size={22} aria-label={`Withdraw the request to ${s.signer.name}`} onClick={onCancel}>
              <IconX size={14} stroke={1.6} />
            </ActionIcon>
          </Tooltip>
        )}
      </div>
      <p className="cp-muted cp-tiny cp-num">
        Requested by {s.requestedBy.name}, {formatDateTime(s.askedOn)}
        {s.settledOn && ` · ${WORDS[s.state].toLowerCase()} ${formatDateTime(s.settledOn)}`}
      </p>
      {s.note && <p className="cp-second">{s.note}</p>}
      {s.reason && <p className="cp-second">Reason: {s.reason}</p>}
      {s.isOutdated && <Notice kind="warning">The documents were changed after they were signed.</Notice>}
      {s.files.length > 0 && (
        <InlineBox title="Signed documents">
          <ul className="sgn-files">
            {s.files.map((f) => (
              <li key={f.attachmentId}>
                <span className="cp-ell cp-block">{fileName(f.attachmentId)}</span>
                <span className="cp-muted cp-tiny sgn-hash">SHA-256 {f.sha256}</span>
              </li>
            ))}
          </ul>
        </InlineBox>
      )}
    </li>
  );
}

/** The signatures of a message: requests, signing, declining, withdrawal. */
export function SignaturePane({ message }: { message: Signable }) {
  const { data, isError, refetch } = useQuery(signersQuery(message.id));
  const { cancel } = useSigning(message.id);
  const refresh = useRefreshSignatures();
  const [opened, open] = useState<'request' | 'sign' | 'decline' | null>(null);
  const [ask, question] = useAsk();
  useHubEvents((frame) => {
    if (tellsOf(frame, message.direction === 'Intake' ? 'intake' : 'release', message.id)) refresh();
  });
  if (message.attachments.length === 0 && !data?.items.length) return null;
  const own = data?.items.find((s) => s.isOwn);
  const close = () => open(null);
  return (
    <section className="cp-sec" aria-labelledby="signature-pane">
      <div className="cp-sec-h">
        <h2 id="signature-pane">Signatures</h2>
        <div className="cp-grow" />
        <Button size="xs" variant="default" leftSection={<IconPlus size={15} stroke={1.6} />} onClick={() => open('request')}>
          Request
        </Button>
      </div>
      {!data && !isError && <div className="cp-bone" role="status" aria-label="Loading the signatures" style={{ width: '60%' }} />}
      {!data && isError && (
        <Notice kind="error">
          The signatures could not be loaded.{' '}
          <UnstyledButton className="cp-link" onClick={() => void refetch()}>
            Try again
          </UnstyledButton>
        </Notice>
      )}
      {own && (
        <div className="sgn-own">
          <p>
            <b>{own.requestedBy.name}</b> asks you to sign. Look at the documents first.
          </p>
          <div className="cp-row">
            <Button leftSection={<IconWritingSign size={16} stroke={1.6} />} onClick={() => open('sign')}>
              Sign
            </Button>
            <Button variant="default" onClick={() => open('decline')}>
              Decline
            </Button>
          </div>
        </div>
      )}
      {data && data.items.length > 0 && (
        <ul className="sgn-list" aria-label="Signers">
          {data.items.map((s) => (
            <SignerRow
              key={s.id}
              signer={s}
              message={message}
              onCancel={() =>
                ask({
                  title: 'Withdraw the request?',
                  subject: s.signer.name,
                  question: 'They no longer need to sign.',
                  label: 'Withdraw',
                  run: () => cancel(s.id),
                  done: 'The request was withdrawn.',
                  failed: 'The request could not be withdrawn. Please try again.',
                })
              }
            />
          ))}
        </ul>
      )}
      {data && <SignedPdfs messageId={message.id} pdfs={data.signedPdfs} />}
      {opened === 'request' && <RequestSignaturesDialog message={message} onClose={close} />}
      {opened === 'sign' && data && <SignDialog message={message} signers={data} onClose={close} />}
      {opened === 'decline' && <DeclineDialog message={message} onClose={close} />}
      {question}
    </section>
  );
}
