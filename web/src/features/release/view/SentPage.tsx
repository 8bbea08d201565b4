import '../release.css';
import { ActionIcon, Button, Menu, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { IconCornerUpRight, IconHistory, IconTrash } from '@tabler/icons-react';
import { lazy, Suspense, useRef, useState } from 'react';
import type { Attachment, Message } from '@/api/types';
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
import { faxesQuery, forgetReleaseLists, refetchRelease } from '../api';
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

/** The current message: delivery events refetch it. */
function useSent(id: string) {
  const client = useQueryClient();
  // A cached draft may have been sent meanwhile.
  const known = (query: { state: { data?: Message } }) => (query.state.data?.isDraft ? 'always' : true);
  const query = useQuery({ ...messageQuery(id), refetchOnMount: known });
  const hasFax = query.data?.deliveries?.some((d) => d.kind === 'Fax') ?? false;
  const faxes = useQuery({ ...faxesQuery(id), enabled: hasFax });

  const requests = useRef(0);
  useHubEvents((frame) => {
    if (!tellsOf(frame, 'release', id)) return;
    void client.invalidateQueries({ queryKey: faxesQuery(id).queryKey });
    // Answers may arrive out of order: the latest request counts.
    const mine = ++requests.current;
    void refetchRelease(id).then(
      (fresh) => mine === requests.current && client.setQueryData(messageKey(id), fresh),
      () => {},
    );
  });
  return { query, faxes };
}

/** A sent release: its delivery to each recipient, and its content. */
export function SentPage({ id }: { id: string }) {
  const go = useGo();
  const { query, faxes } = useSent(id);
  const [selectedId, setSelectedId] = useState<string | null>(null);
  const [activity, showActivity] = useDisclosure();
  const [deleting, askDelete] = useDisclosure();
  const [summarizing, askSummary] = useDisclosure();

  const { data: message, error } = query;
  if (error && !message) return <ErrorState title="The message could not be loaded" error={error} onRetry={() => void query.refetch()} />;
  if (!message || (message.isDraft && query.isFetching)) return <div className="rel-loading" role="status" aria-label="Loading" />;
  if (message.isDraft) return <Navigate to="/release/draft/$id" params={{ id }} replace />;

  const selected = message.attachments.find((a) => a.id === selectedId) ?? message.attachments[0] ?? null;
  return (
    <>
      <BackHead
        title={message.subject || 'No subject'}
        back={{ label: 'Back to Release', run: () => go(paths.release()) }}
        beside={<Chip state={messageState(message.deliveries ?? [], message.status)} />}
        line={<Line message={message} />}
        actions={<Actions message={message} onActivity={showActivity.open} onDelete={askDelete.open} onSummary={askSummary.open} />}
      />
      <div className="cp-panes rel-panes rel-sent">
        <div className="cp-pane cp-grow rel-scroll">
          {faxes.isError && !faxes.data && (
            <Notice kind="error">
              The fax calls could not be loaded.{' '}
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
          <Files message={message} selected={selected} onSelect={setSelectedId} />
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
          void forgetReleaseLists();
          go(paths.release(), { replace: true });
        }}
        onRestored={() => go(paths.releaseMessage(id))}
      />
    </>
  );
}

/** Its release type, sender and time. */
const Line = ({ message }: { message: Message }) => (
  <>
    {message.releaseType && <span className="cp-second">{message.releaseType} · </span>}
    {message.sentBy && (
      <>
        sent by <span className="cp-second">{message.sentBy.name}</span> ·{' '}
      </>
    )}
    {formatWhen(message.messageDate ?? message.createdDate)}
  </>
);

type ActionsProps = { message: Message; onActivity: () => void; onDelete: () => void; onSummary: () => void };

/** The actions; on phones all are in one menu. */
function Actions({ message, onActivity, onDelete, onSummary }: ActionsProps) {
  const go = useGo();
  const { isPhone } = useViewport();
  const isAdministrator = useHasRole('Administrator');
  const canForward = useProfile().orgIsActivated !== false;
  const forward = () => go(paths.releaseForward(message.id));
  if (isPhone)
    return (
      <MoreMenu isLarge label="More">
        {message.isReadyForDeliverySummary && <SummaryItems message={message} onSend={onSummary} />}
        {canForward && (
          <Menu.Item leftSection={<IconCornerUpRight size={16} stroke={1.6} />} onClick={forward}>
            Forward
          </Menu.Item>
        )}
        {isAdministrator && (
          <Menu.Item leftSection={<IconHistory size={16} stroke={1.6} />} onClick={onActivity}>
            Activity
          </Menu.Item>
        )}
        <Menu.Item data-danger leftSection={<IconTrash size={16} stroke={1.6} />} onClick={onDelete}>
          Delete
        </Menu.Item>
      </MoreMenu>
    );
  return (
    <>
      {isAdministrator && (
        <Button variant="default" leftSection={<IconHistory size={16} stroke={1.6} />} onClick={onActivity}>
          Activity
        </Button>
      )}
      {message.isReadyForDeliverySummary && (
        <MoreMenu isFramed label="More">
          <SummaryItems message={message} onSend={onSummary} />
        </MoreMenu>
      )}
      <ActionIcon variant="default" aria-label="Delete" onClick={onDelete}>
        <IconTrash size={17} stroke={1.6} />
      </ActionIcon>
      {canForward && (
        <Button leftSection={<IconCornerUpRight size={16} stroke={1.8} />} onClick={forward}>
          Forward
        </Button>
      )}
    </>
  );
}

type FilesProps = { message: Message; selected: Attachment | null; onSelect: (id: string) => void };

/** The sent files. One of them is shown below. */
function Files({ message: { attachments, conversion }, selected, onSelect }: FilesProps) {
  const converted = conversionOf(conversion);
  return (
    <section className="cp-sec rel-sent-files" aria-labelledby="sent-attachments">
      <div className="cp-sec-h">
        <h3 id="sent-attachments">Attachments</h3>
        {attachments.length > 0 && (
          <span className="cp-muted cp-num">
            {attachments.length}
            {converted ? `, sent as ${CONVERSIONS[converted]}` : ''}
          </span>
        )}
      </div>
      {attachments.length === 0 && <p className="cp-muted rel-none">No attachments added.</p>}
      <ul className="rel-list">
        {attachments.map((a) => (
          <li key={a.id}>
            <UnstyledButton
              className="cp-att rel-sent-att"
              data-on={a.id === selected?.id || undefined}
              aria-pressed={a.id === selected?.id}
              onClick={() => onSelect(a.id)}
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
  );
}
