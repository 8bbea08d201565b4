import { Drawer, Tabs, Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { IconMail, IconUser } from '@tabler/icons-react';
import { type ReactNode, type TouchEvent, useRef, useState } from 'react';
import { useFeature, useProfile } from '@/app/session';
import type { Message } from '@/api/types';
import { messageKey } from '@/domain/messaging/api';
import { usePresence } from '@/domain/messaging/presence';
import { DeleteMessageDialog } from '@/domain/messaging/DeleteMessageDialog';
import { type Export, EXTRACTED } from '@/domain/messaging/rules';
import { printAttachment, Viewer } from '@/domain/messaging/viewer/Viewer';
import { tellsOf, useHubEvents } from '@/shared/hubs';
import { paths } from '@/shared/paths';
import { useShortcuts } from '@/shared/shortcuts';
import { useGo } from '@/shared/ui/AppLink';
import { EmptyState, NoticeList } from '@/shared/ui/blocks';
import { LeaveGuard } from '@/shared/ui/LeaveGuard';
import { useEscape } from '@/shared/ui/useEscape';
import { useViewport } from '@/shared/useViewport';
import { AssignmentPane } from './AssignmentPane';
import { AttachmentList } from './AttachmentList';
import { DocumentPane } from './DocumentPane';
import { MessageBody } from './MessageBody';
import { Activity, MessageFacts, MessageText } from './MessageDetails';
import { type MessageActions, MessageHeader, PhoneActions, PhoneHeader } from './MessageHeader';
import { Panes } from './Panes';
import { PatientPane } from './PatientPane';
import { useExport, useProcess, useReadMarks } from './useMessageActions';
import { useExtraction } from './useExtraction';
import { useMetaForms } from './useMetaForms';
import { usePatientForm } from './usePatientForm';
import { useProcessing } from './useProcessing';

type Props = {
  message: Message;
  settings: Export;
  place: { position: number; total: number; capped: boolean } | null;
  previous?: () => void;
  next?: () => void;
  onBack: () => void;
};
/** A file, or the words of the message itself. */
type Shown = { kind: 'file'; id: string } | { kind: 'words' };

const firstShown = (m: Message): Shown | null => {
  const file = m.attachments.find((a) => a.previewAvailable !== 'Failed') ?? m.attachments[0];
  if (file) return { kind: 'file', id: file.id };
  return m.body || m.bodyHtml ? { kind: 'words' } : null;
};

/** The heart of the product: the document in the middle, what belongs to it around it. */
export function MessageView({ message, settings, place, previous, next, onBack }: Props) {
  const { userId } = useProfile();
  const { isPhone, isNarrow } = useViewport();
  const go = useGo();
  const client = useQueryClient();
  const [shown, show] = useState<Shown | null>(() => firstShown(message));
  const [tab, setTab] = useState<string | null>('document');
  const [deleting, deletion] = useDisclosure();
  const [sideOpened, side] = useDisclosure();
  useEscape(isNarrow && !isPhone && sideOpened, side.close);
  const attachment = shown?.kind === 'file' ? message.attachments.find((a) => a.id === shown.id) : undefined;

  const present = usePresence(message.id, userId);
  const patient = usePatientForm(message, settings);
  const metas = useMetaForms(message, settings);
  const needsPatient = EXTRACTED.some((f) => f !== 'middleName' && !patient.draft[f]);
  const extracts = useFeature('PatientExtractionAPI') && settings.exportMode !== 'print';
  const reading = useExtraction(attachment, extracts && needsPatient, patient.fill);
  useReadMarks(message, attachment);
  useHubEvents((frame) => {
    if (tellsOf(frame, 'intake', message.id)) void client.invalidateQueries({ queryKey: messageKey(message.id) });
  });

  const exports = useExport(attachment);
  const processing = useProcess(message, next ?? onBack);
  const print =
    attachment && attachment.previewAvailable !== 'Failed' ? () => (printAttachment(attachment), exports.note('Printed')) : undefined;

  const focusProblem = () => {
    if (isPhone) setTab('patient');
    else if (isNarrow) side.open();
    const first = patient.missing.details ? '[data-field="firstName"]' : '[data-field][aria-invalid="true"], .cp-unv input';
    setTimeout(() => document.querySelector<HTMLElement>(first)?.focus());
  };
  const checks = useProcessing(
    { message, settings, patient, metas, attachment },
    (acceptsGaps) => processing.process(exports.processType(), acceptsGaps),
    focusProblem,
  );
  const isDeleted = useRef(false);
  const guard = (
    <LeaveGuard
      isDirty={() => !isDeleted.current && (patient.isUnsaved() || metas.isUnsaved())}
      settle={async () => (await Promise.all([patient.flush(), metas.flush(undefined)])).every(Boolean)}
      subject={message.subject || 'No subject'}
      question="What you typed here could not be saved. If you leave, it is lost."
    />
  );

  const actions: MessageActions = {
    back: onBack,
    previous,
    next,
    reply: () => go(paths.releaseReply(message.id, paths.intakeMessage(message.id))),
    forward: () => go(paths.releaseForward(message.id, paths.intakeMessage(message.id))),
    exportOriginal: exports.original,
    exportPdf: exports.pdf,
    print,
    remove: deletion.open,
    process: checks.process,
    reopen: processing.reopen,
    busy: processing.busy,
  };
  useShortcuts([
    { keys: 'r', label: 'Reply', run: actions.reply },
    { keys: 'f', label: 'Forward', run: actions.forward },
  ]);

  const size = isPhone ? 'md' : 'sm';
  const list = (
    <AttachmentList
      attachments={message.attachments}
      selected={attachment?.id ?? null}
      onSelect={(id) => {
        show({ kind: 'file', id });
        setTab('document');
      }}
      onPrinted={() => exports.note('Printed')}
      onExported={() => exports.note('NativeExport')}
    />
  );
  const words = (
    <MessageText
      message={message}
      onOpen={() => {
        show({ kind: 'words' });
        setTab('document');
        side.close();
      }}
    />
  );
  const centre: ReactNode =
    shown?.kind === 'words' ? (
      <MessageBody message={message} />
    ) : attachment ? (
      <Viewer attachment={attachment} onPrint={() => exports.note('Printed')} />
    ) : (
      <EmptyState icon={IconMail} title="This message is empty" text="It has neither words nor files." />
    );
  const forms = (
    // What is being mended need not be listed any more.
    <div onChangeCapture={checks.clear}>
      {checks.problems.length > 0 && (
        <div className="cp-problems">
          <NoticeList kind="error" title="Please fix the following before processing." messages={checks.problems} />
        </div>
      )}
      <PatientPane form={patient} settings={settings} attachment={attachment} reading={reading} size={size} />
      {attachment && (
        <DocumentPane
          key={attachment.id}
          form={metas.of(attachment)}
          attachment={attachment}
          settings={settings}
          messageDate={message.messageDate ?? message.createdDate}
          size={size}
        />
      )}
      <AssignmentPane message={message} size={size} />
    </div>
  );
  const dialogs = (
    <>
      <DeleteMessageDialog
        message={deleting ? message : null}
        onClose={deletion.close}
        onDeleted={() => {
          isDeleted.current = true;
          (next ?? onBack)();
        }}
      />
      {checks.question}
      {guard}
    </>
  );

  if (isPhone) {
    return (
      <div className="cp-msgphone m-touch" {...swipes(previous, next)}>
        <PhoneHeader message={message} present={present} actions={actions} />
        <Tabs value={tab} onChange={setTab} keepMounted className="m-tabs">
          <Tabs.List grow>
            <Tabs.Tab value="document">Document</Tabs.Tab>
            <Tabs.Tab
              value="patient"
              rightSection={patient.unverified.size > 0 && <span className="m-badge cp-num">{patient.unverified.size}</span>}
            >
              Patient
            </Tabs.Tab>
            <Tabs.Tab value="details">Details</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="document" className="m-panel">
            {centre}
          </Tabs.Panel>
          <Tabs.Panel value="patient" className="m-panel cp-scroll">
            {forms}
          </Tabs.Panel>
          <Tabs.Panel value="details" className="m-panel cp-scroll">
            <section className="cp-sec">
              <div className="cp-sec-h">
                <h2>Attachments</h2>
              </div>
              {list}
            </section>
            {words}
            <MessageFacts message={message} />
            <Activity messageId={message.id} />
          </Tabs.Panel>
        </Tabs>
        <PhoneActions message={message} actions={actions} />
        {dialogs}
      </div>
    );
  }
  const attachments = (
    <section className="cp-sec cp-attsec" aria-labelledby="attachments-pane">
      <div className="cp-sec-h">
        <h2 id="attachments-pane">Attachments</h2>
        <span className="cp-muted cp-num">{message.attachments.length}</span>
      </div>
      {list}
    </section>
  );
  if (isNarrow) {
    return (
      <>
        <MessageHeader message={message} present={present} place={place} actions={actions} />
        <div className="cp-narrowbar">
          <div className="cp-grow cp-strip">{list}</div>
          <Button variant="default" leftSection={<IconUser size={16} stroke={1.6} />} onClick={side.open}>
            Patient and details
          </Button>
        </div>
        <div className="cp-pane cp-grow">{centre}</div>
        <Drawer
          opened={sideOpened}
          onClose={side.close}
          closeOnEscape={false}
          position="right"
          size={400}
          keepMounted
          title="Patient and details"
          closeButtonProps={{ 'aria-label': 'Close' }}
        >
          {forms}
          {words}
          <MessageFacts message={message} />
          <Activity messageId={message.id} />
        </Drawer>
        {dialogs}
      </>
    );
  }
  return (
    <>
      <MessageHeader message={message} present={present} place={place} actions={actions} />
      <Panes
        left={
          <div className="cp-scroll">
            {attachments}
            {words}
            <MessageFacts message={message} />
            <Activity messageId={message.id} />
          </div>
        }
        centre={centre}
        right={<div className="cp-scroll">{forms}</div>}
      />
      {dialogs}
    </>
  );
}

const SWIPE = 80;

/** A quick stroke to the side turns the message, unless a zoomed page is being moved. */
function swipes(previous: (() => void) | undefined, next: (() => void) | undefined) {
  let start: { x: number; y: number; locked: boolean } | null = null;
  return {
    onTouchStart: (e: TouchEvent) => {
      const touch = e.touches[0];
      const box = (e.target as HTMLElement).closest('.cp-wellscroll, input, textarea');
      const locked = e.touches.length > 1 || (box !== null && (!box.matches('.cp-wellscroll') || box.scrollWidth > box.clientWidth + 4));
      start = touch ? { x: touch.clientX, y: touch.clientY, locked } : null;
    },
    onTouchEnd: (e: TouchEvent) => {
      const touch = e.changedTouches[0];
      if (!start || start.locked || !touch) return;
      const dx = touch.clientX - start.x;
      const dy = Math.abs(touch.clientY - start.y);
      start = null;
      if (Math.abs(dx) < SWIPE || dy > SWIPE / 2) return;
      if (dx < 0) next?.();
      else previous?.();
    },
  };
}
