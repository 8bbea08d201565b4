import '../release.css';
import { ActionIcon, Button, Menu, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { IconCornerUpRight, IconHistory, IconTrash } from '@tabler/icons-react';
import { lazy, Suspense, useRef, useState } from 'react';
import type { Message } from '@/api/types';
import { useHasRole, useProfile } from '@/app/session';
import { ReferralPanel } from '@/domain/conversations/ReferralPanel';
import { ActivityDialog } from '@/domain/messaging/ActivityDialog';
import { messageKey, messageQuery } from '@/domain/messaging/api';
import { DeleteMessageDialog } from '@/domain/messaging/DeleteMessageDialog';
import { SignaturePane } from '@/domain/messaging/signatures/SignaturePane';
import { RestrictedMark } from '@/domain/messaging/viewer/restricted';
import { formatAddress, formatSize, formatWhen } from '@/shared/format';
import { tellsOf, useHubEvents } from '@/shared/hubs';
import { paths } from '@/shared/paths';
import { showDate } from '@/shared/rules/dates';
import { useGo } from '@/shared/ui/AppLink';
import { BackHead } from '@/shared/ui/BackHead';
import { Breakable, ErrorState, Notice } from '@/shared/ui/blocks';
import { MoreMenu } from '@/shared/ui/MoreMenu';
import { Chip } from '@/shared/ui/status';
import { useViewport } from '@/shared/useViewport';
import { faxesQuery, refetchRelease, releaseKey } from '../api';
import { Extension } from '../compose/AttachmentList';
import { CONVERSIONS, conversionOf } from '../compose/model';

import { Deliveries } from './Deliveries';
import { SummaryDialog, SummaryItems } from './summary';
import { messageState } from './timeline';

const Viewer = lazy(() => import('@/domain/messaging/viewer/Viewer').then((m) => ({ default: m.Viewer })));

const LONG_BODY = 220;

function Body({ text }: { text: string }) {
  const [all, { toggle }] = useDisclosure();
  const isLong = text.length > LONG_BODY;
  return (
    <p className="rel-sent-body">
      {isLong && !all ? `${text.slice(0, LONG_BODY).replace(/\s+/g, ' ').trimEnd()}… ` : text}
      {isLong && (
        <UnstyledButton className="cp-link" onClick={toggle} aria-expanded={all}>
          {all ? ' Show less' : 'Show all'}
        </UnstyledButton>
      )}
    </p>
  );
}

const nameOf = (m: Message) => {
  const p = m.patient;
  if (!p) return '';
  const name = [p.lastName, [p.firstName, p.middleName].filter(Boolean).join(' ')].filter(Boolean).join(', ');
  return [name, showDate(p.birthDate)].filter(Boolean).join(', ');
};

function Facts({ message }: { message: Message }) {
  const facts: [string, string | null | undefined][] = [
    ['From', message.fromAddress && formatAddress(message.fromAddress)],
    ['Patient', nameOf(message)],
    ['Comments', message.comments],
    ['Reason', message.reasonForDisclosure],
  ];
  return (
    <dl className="cp-kv cp-num rel-facts">
      {facts
        .filter(([, value]) => value)
        .map(([name, value]) => (
          <div key={name} className="rel-fact">
            <dt>{name}</dt>
            <dd>{name === 'From' ? <Breakable text={value!} /> : value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** A sent release: what became of it for each recipient, and what was sent. */
export function SentPage({ id }: { id: string }) {
  const go = useGo();
  const client = useQueryClient();
  const { isPhone } = useViewport();
  const isAdministrator = useHasRole('Administrator');
  const { orgIsActivated } = useProfile();
  // What is known as a draft may have been sent meanwhile.
  const known = (query: { state: { data?: Message } }) => (query.state.data?.isDraft ? 'always' : true);
  const { data: message, error, isFetching, refetch } = useQuery({ ...messageQuery(id), refetchOnMount: known });
  const [selectedId, setSelectedId] = useState<string | null>(null);
  const [activity, showActivity] = useDisclosure();
  const [deleting, askDelete] = useDisclosure();
  const [summarizing, askSummary] = useDisclosure();

  const hasFax = message?.deliveries?.some((d) => d.kind === 'Fax') ?? false;
  const faxes = useQuery({ ...faxesQuery(id), enabled: hasFax });

  const requests = useRef(0);
  useHubEvents((frame) => {
    if (!tellsOf(frame, 'release', id)) return;
    void client.invalidateQueries({ queryKey: faxesQuery(id).queryKey });
    // Answers may overtake each other: that to the latest request counts.
    const mine = ++requests.current;
    void refetchRelease(id).then(
      (fresh) => mine === requests.current && client.setQueryData(messageKey(id), fresh),
      () => {},
    );
  });

  if (error && !message) return <ErrorState title="The message could not be loaded" error={error} onRetry={() => void refetch()} />;
  if (!message || (message.isDraft && isFetching)) return <div className="rel-loading" role="status" aria-label="Loading" />;
  if (message.isDraft) return <Navigate to="/release/draft/$id" params={{ id }} replace />;

  const deliveries = message.deliveries ?? [];
  const selected = message.attachments.find((a) => a.id === selectedId) ?? message.attachments[0] ?? null;
  const subject = message.subject || 'No subject';
  const canForward = orgIsActivated !== false;
  const conversion = conversionOf(message.conversion);
  const sentAs = conversion ? `, sent as ${CONVERSIONS[conversion]}` : '';
  const forward = () => go(paths.releaseForward(id));
  return (
    <>
      <BackHead
        title={subject}
        back={{ label: 'Back to Release', run: () => go(paths.release()) }}
        beside={<Chip state={messageState(deliveries, message.status)} />}
        line={
          <>
            {message.releaseType && <span className="cp-second">{message.releaseType} · </span>}
            {message.sentBy && (
              <>
                sent by <span className="cp-second">{message.sentBy.name}</span> ·{' '}
              </>
            )}
            {formatWhen(message.messageDate ?? message.createdDate)}
          </>
        }
        actions={
          isPhone ? (
            <MoreMenu isLarge label="More">
              {message.isReadyForDeliverySummary && <SummaryItems message={message} onSend={askSummary.open} />}
              {canForward && (
                <Menu.Item leftSection={<IconCornerUpRight size={16} stroke={1.6} />} onClick={forward}>
                  Forward
                </Menu.Item>
              )}
              {isAdministrator && (
                <Menu.Item leftSection={<IconHistory size={16} stroke={1.6} />} onClick={showActivity.open}>
                  Activity
                </Menu.Item>
              )}
              <Menu.Item data-danger leftSection={<IconTrash size={16} stroke={1.6} />} onClick={askDelete.open}>
                Delete
              </Menu.Item>
            </MoreMenu>
          ) : (
            <>
              {isAdministrator && (
                <Button variant="default" leftSection={<IconHistory size={16} stroke={1.6} />} onClick={showActivity.open}>
                  Activity
                </Button>
              )}
              {message.isReadyForDeliverySummary && (
                <MoreMenu isFramed label="More">
                  <SummaryItems message={message} onSend={askSummary.open} />
                </MoreMenu>
              )}
              <ActionIcon variant="default" aria-label="Delete" onClick={askDelete.open}>
                <IconTrash size={17} stroke={1.6} />
              </ActionIcon>
              {canForward && (
                <Button leftSection={<IconCornerUpRight size={16} stroke={1.8} />} onClick={forward}>
                  Forward
                </Button>
              )}
            </>
          )
        }
      />
      <div className="cp-panes rel-panes rel-sent">
        <div className="cp-pane cp-grow rel-scroll">
          {faxes.isError && !faxes.data && (
            <Notice kind="error">
              The calls of the faxes could not be loaded.{' '}
              <UnstyledButton className="cp-link" onClick={() => void faxes.refetch()}>
                Try again
              </UnstyledButton>
            </Notice>
          )}
          <Deliveries message={message} faxes={faxes.data ?? []} />
        </div>
        <div className="cp-pane rel-side">
          <ReferralPanel message={message} />
          <section className="cp-sec" aria-labelledby="sent-message">
            <div className="cp-sec-h">
              <h3 id="sent-message">Message</h3>
            </div>
            {message.body && <Body text={message.body} />}
            <Facts message={message} />
          </section>
          <SignaturePane message={message} />
          <section className="cp-sec rel-sent-files" aria-labelledby="sent-attachments">
            <div className="cp-sec-h">
              <h3 id="sent-attachments">Attachments</h3>
              {message.attachments.length > 0 && (
                <span className="cp-muted cp-num">
                  {message.attachments.length}
                  {sentAs}
                </span>
              )}
            </div>
            {message.attachments.length === 0 && <p className="cp-muted rel-none">No attachments added.</p>}
            <ul className="rel-list">
              {message.attachments.map((a) => (
                <li key={a.id}>
                  <UnstyledButton
                    className="cp-att rel-sent-att"
                    data-on={a.id === selected?.id || undefined}
                    aria-pressed={a.id === selected?.id}
                    onClick={() => setSelectedId(a.id)}
                  >
                    <Extension fileName={a.fileName} />
                    <span className="cp-grow">
                      <span className="cp-ell cp-block rel-name" title={a.fileName}>
                        {a.fileName}
                      </span>
                      <span className="cp-muted cp-num cp-block rel-sub">
                        {[showDate(a.attachmentMeta?.documentDate), formatSize(a.sizeInBytes)].filter(Boolean).join(' · ')}
                      </span>
                      <RestrictedMark attachment={a} />
                    </span>
                  </UnstyledButton>
                </li>
              ))}
            </ul>
          </section>
          {selected && (
            <div className="rel-sent-preview">
              <Suspense fallback={null}>
                <Viewer attachment={selected} />
              </Suspense>
            </div>
          )}
        </div>
      </div>
      <SummaryDialog message={message} opened={summarizing} onClose={askSummary.close} />
      <ActivityDialog messageId={id} opened={activity} onClose={showActivity.close} />
      <DeleteMessageDialog
        message={deleting ? message : null}
        onClose={askDelete.close}
        onDeleted={() => {
          void client.invalidateQueries({ queryKey: [...releaseKey, 'list'] });
          go(paths.release(), { replace: true });
        }}
        onRestored={() => go(paths.releaseMessage(id))}
      />
    </>
  );
}
