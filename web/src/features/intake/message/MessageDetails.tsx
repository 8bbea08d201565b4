import { ActionIcon, CopyButton, Tooltip, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { Fragment } from 'react';
import { useHasRole } from '@/app/session';
import type { Message } from '@/api/types';
import { actWords } from '@/domain/messaging/activity';
import { ActivityDialog, activityQuery } from '@/domain/messaging/ActivityDialog';
import { OriginalFacts } from '@/domain/messaging/triage/OriginalFacts';
import { formatAddress, formatRecent, formatWhen, splitAddresses } from '@/shared/format';
import { paths } from '@/shared/paths';
import { AppLink } from '@/shared/ui/AppLink';
import { Addresses, Breakable, Notice } from '@/shared/ui/blocks';
import { When } from '@/shared/ui/When';

/** The text sent with the files. */
export function MessageText({ message, onOpen }: { message: Message; onOpen: () => void }) {
  if (!message.body?.trim()) return null;
  return (
    <section className="cp-sec">
      <div className="cp-sec-h">
        <h2>{message.sourceType === 'Fax' ? 'Cover sheet' : 'Message'}</h2>
        <div className="cp-grow" />
        <UnstyledButton className="cp-link" onClick={onOpen}>
          Open
        </UnstyledButton>
      </div>
      {/* Long texts scroll, by the keyboard too. */}
      <p className="cp-bodytext" tabIndex={0} role="region" aria-label="Text of the message">
        {message.body}
      </p>
    </section>
  );
}

/** Details of its reception by fax. */
function FaxFacts({ fax }: { fax: NonNullable<Message['fax']> }) {
  const facts: [string, string][] = [
    ['Pages', fax.pages == null ? '' : `${fax.pages}`],
    ['Caller', [fax.caller, fax.callerName].filter(Boolean).join(', ')],
    ['Sender ID', fax.senderId],
    ['Number called', fax.called],
    ['Resolution', fax.resolution ?? ''],
    ['Incomplete', fax.partial ?? ''],
  ];
  return (
    <>
      {facts
        .filter(([, value]) => value)
        .map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd className="cp-num cp-wrap">{value}</dd>
          </Fragment>
        ))}
      {fax.answers && (
        <>
          <dt>Answers</dt>
          <dd>
            <AppLink href={paths.releaseMessage(fax.answers)}>the fax that was sent</AppLink>
          </dd>
        </>
      )}
    </>
  );
}

export function MessageFacts({ message }: { message: Message }) {
  const to = message.toAddresses?.length ? message.toAddresses : splitAddresses(message.toAddress);
  return (
    <section className="cp-sec">
      <div className="cp-sec-h">
        <h2>Details</h2>
      </div>
      <dl className="cp-kv">
        <dt>From</dt>
        <dd>
          <Breakable text={formatAddress(message.fromAddress || message.fromName || '')} />
        </dd>
        {to.length > 0 && (
          <>
            <dt>To</dt>
            <dd>
              <Addresses values={to} format={formatAddress} />
            </dd>
          </>
        )}
        <dt>Received</dt>
        <dd>
          <When iso={message.systemReceivedDate ?? message.createdDate}>
            {formatWhen(message.systemReceivedDate ?? message.createdDate)}
          </When>
        </dd>
        {message.fax && <FaxFacts fax={message.fax} />}
        <OriginalFacts message={message} />
        {message.messageIdHeader && (
          <>
            <dt>Message ID</dt>
            <dd className="cp-row">
              <span className="cp-mono cp-ell" title={message.messageIdHeader}>
                {message.messageIdHeader.replace(/^<|>$/g, '')}
              </span>
              <CopyButton value={message.messageIdHeader}>
                {({ copied, copy }) => (
                  <Tooltip label={copied ? 'Copied' : 'Copy'}>
                    <ActionIcon size={20} aria-label={copied ? 'Copied' : 'Copy message ID'} onClick={copy}>
                      {copied ? <IconCheck size={14} stroke={1.8} /> : <IconCopy size={14} stroke={1.6} />}
                    </ActionIcon>
                  </Tooltip>
                )}
              </CopyButton>
            </dd>
          </>
        )}
      </dl>
    </section>
  );
}

const LATEST = 3;

/** The latest acts on the message, for administrators. */
export function Activity({ messageId }: { messageId: string }) {
  const isAdministrator = useHasRole('Administrator');
  const [opened, dialog] = useDisclosure();
  const latest = useQuery({ ...activityQuery(messageId, { page: 1 }, LATEST), enabled: isAdministrator });
  if (!isAdministrator) return null;
  return (
    <section className="cp-sec">
      <div className="cp-sec-h">
        <h2>Activity</h2>
        <div className="cp-grow" />
        <UnstyledButton className="cp-link" onClick={dialog.open}>
          Show all
        </UnstyledButton>
      </div>
      {latest.isPending && <div className="cp-bone" role="status" aria-label="Loading the activity" style={{ width: '60%' }} />}
      {latest.isError && (
        <Notice kind="error">
          The activity could not be loaded.{' '}
          <UnstyledButton className="cp-link" onClick={() => void latest.refetch()}>
            Try again
          </UnstyledButton>
        </Notice>
      )}
      <ul className="cp-acts">
        {latest.data?.items.map((e) => (
          <li key={e.id} className="cp-row">
            <span className="cp-grow cp-second">
              {e.createdBy}: {actWords(e.eventType)}
            </span>
            <span className="cp-muted cp-num">{formatRecent(e.createdOn)}</span>
          </li>
        ))}
      </ul>
      <ActivityDialog messageId={messageId} opened={opened} onClose={dialog.close} />
    </section>
  );
}
