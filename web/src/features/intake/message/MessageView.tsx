import { Drawer, Tabs, Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { IconMail, IconUser } from '@tabler/icons-react';
import { type ReactNode, type TouchEvent, useRef, useState } from 'react';
import { useFeature, useProfile } from '@/app/session';
import type { Message, Patient } from '@/api/types';
import { ReferralPanel } from '@/domain/conversations/ReferralPanel';
import { activityKey, messageKey } from '@/domain/messaging/api';
import { usePresence } from '@/domain/messaging/presence';
import { DeleteMessageDialog } from '@/domain/messaging/DeleteMessageDialog';
import { SignaturePane } from '@/domain/messaging/signatures/SignaturePane';
import { type Export, EXTRACTED, isExtracted } from '@/domain/messaging/rules';
import { ExportDialog } from '@/domain/messaging/tasks/ExportDialog';
import { useMayOpen } from '@/domain/messaging/viewer/restricted';
import { printAttachment, Viewer } from '@/domain/messaging/viewer/Viewer';
import { tellsOf, useHubEvents } from '@/shared/hubs';
import { notify } from '@/shared/notify';
import { paths } from '@/shared/paths';
import { useShortcuts } from '@/shared/shortcuts';
import { useGo } from '@/shared/ui/AppLink';
import { EmptyState, NoticeList } from '@/shared/ui/blocks';
import { LeaveGuard } from '@/shared/ui/LeaveGuard';
import { useEscape } from '@/shared/ui/useEscape';
import { undoShortcut } from '@/shared/undo';
import { useViewport } from '@/shared/useViewport';
import { markDone, markOpen, type Place } from '../trail';
import { offersOf } from './AlsoRead';
import { AssignmentPane } from './AssignmentPane';
import { AttachmentList } from './AttachmentList';
import { DocumentPane } from './DocumentPane';
import { MessageBody } from './MessageBody';
import { Activity, MessageFacts, MessageText } from './MessageDetails';
import { type MessageActions, MessageHeader, PhoneActions, PhoneHeader } from './MessageHeader';
import { Panes } from './Panes';
import { PatientPane } from './PatientPane';
import { Duplicates } from './Duplicates';
import { NotesPane } from './NotesPane';
import { UpNext } from './UpNext';
import { WhoseDocuments } from './WhoseDocuments';
import { useFiling, useHold } from './useFiling';
import { useExport, useReadMarks } from './useMessageActions';
import { useNotes } from './useNotes';
import { usePicked } from './usePicked';
import { useExtraction } from './useExtraction';
import { useMarks } from './useMarks';
import { useMetaForms } from './useMetaForms';
import { usePatientForm } from './usePatientForm';
import { usePatientMatches } from './usePatientMatches';
import { useProcessing } from './useProcessing';
import { useProposals } from './useProposals';

type Props = {
  message: Message;
  settings: Export;
  place: Place | null;
  previous?: () => void;
  next?: () => void;
  /** The message is done: the next open one, or the list. */
  onDone: () => void;
  onBack: () => void;
};
/** A file, or the words of the message itself. */
type Shown = { kind: 'file'; id: string } | { kind: 'words' };

const firstShown = (m: Message): Shown | null => {
  const file = m.attachments.find((a) => a.previewAvailable !== 'Failed') ?? m.attachments[0];
  if (file) return { kind: 'file', id: file.id };
  return m.body || m.bodyHtml ? { kind: 'words' } : null;
};

/** Whether something is so, or was. */
function useEver(is: boolean) {
  const [ever, setEver] = useState(is);
  if (is && !ever) setEver(true);
  return ever || is;
}

/** The heart of the product: the document in the middle, what belongs to it around it. */
export function MessageView({ message, settings, place, previous, next, onDone, onBack }: Props) {
  const { userId } = useProfile();
  const { isPhone, isNarrow } = useViewport();
  const go = useGo();
  const client = useQueryClient();
  const [shown, show] = useState<Shown | null>(() => firstShown(message));
  const [tab, setTab] = useState<string | null>('document');
  const [deleting, deletion] = useDisclosure();
  const [leaving, leave] = useState<'export' | 'print' | null>(null);
  const [sideOpened, side] = useDisclosure();
  useEscape(isNarrow && !isPhone && sideOpened, side.close);
  const sawForm = useEver(isPhone ? tab === 'patient' : !isNarrow || sideOpened);
  const attachment = shown?.kind === 'file' ? message.attachments.find((a) => a.id === shown.id) : undefined;

  const present = usePresence(message.id, userId);
  const patient = usePatientForm(message, settings);
  const metas = useMetaForms(message, settings);
  const needsPatient = EXTRACTED.some((f) => f !== 'middleName' && !patient.draft[f]);
  const readsPages = useFeature('PatientExtractionAPI');
  const mayOpen = useMayOpen();
  const [read, noteRead] = useState<Readonly<Record<string, Patient>>>({});
  const offers = offersOf(attachment && read[attachment.id], patient.draft);
  const seen = useMarks(attachment?.id, new Set<string>([...patient.unverified, ...offers.flatMap((offer) => offer.fields)]));
  const asks = needsPatient && settings.exportMode !== 'print' && Boolean(attachment && mayOpen(attachment));
  const reading = useExtraction(attachment, asks, readsPages, (found, marks) => {
    const filled = patient.fill(found);
    noteRead((known) => ({ ...known, [attachment!.id]: found }));
    seen.note(
      attachment!.id,
      marks.filter((m) => filled.includes(m.field) || !isExtracted(m.field)),
    );
  });
  const matches = usePatientMatches(message, patient, settings);
  const proposals = useProposals(message);
  useReadMarks(message, attachment);
  useHubEvents((frame) => {
    if (!tellsOf(frame, 'intake', message.id)) return;
    void client.invalidateQueries({ queryKey: messageKey(message.id) });
    void client.invalidateQueries({ queryKey: activityKey(message.id) });
  });

  const exports = useExport(attachment);
  const filing = useFiling(message, onDone);
  const { holder, takeOver } = useHold(message, present);
  const notes = useNotes(message);
  const picked = usePicked(message, attachment, metas, onDone);
  const print =
    attachment && attachment.previewAvailable !== 'Failed' ? () => (printAttachment(attachment), exports.note('Printed')) : undefined;

  const focusIn = (field: string) => {
    const focus = () => document.querySelector<HTMLElement>(field)?.focus();
    // Where the form is in view, the next key belongs to the field already.
    if (!isPhone && !isNarrow) return focus();
    if (isPhone) setTab('patient');
    else side.open();
    setTimeout(focus);
  };
  const focusProblem = () => {
    const first = patient.missing.details ? '[data-field="firstName"]' : '[data-field][aria-invalid="true"], .cp-unv input';
    // What was refused is marked with the next drawing.
    setTimeout(() => focusIn(first));
  };
  const findPatient = () => focusIn('[data-field="findPatient"]');
  const checks = useProcessing(
    {
      message,
      settings,
      patient,
      certain: matches.certain,
      metas,
      attachment,
      notes,
      isReading: reading,
      findPatient,
      askType: picked.askType,
      wereSeen: (fields) => sawForm && seen.wereSeen(fields),
    },
    (accepted) => filing.file({ processType: exports.processType(), ...accepted }),
    focusProblem,
  );
  const isDeleted = useRef(false);
  const guard = (
    <LeaveGuard
      isDirty={() => !isDeleted.current && (patient.isUnsaved() || metas.isUnsaved() || notes.isUnsaved())}
      settle={async () => (await Promise.all([patient.flush(), metas.flush(undefined)])).every(Boolean)}
      subject={message.subject || 'No subject'}
      question="What you typed here could not be saved. If you leave, it is lost."
      onLeave={notes.discard}
    />
  );

  // The server exports what is saved.
  const leaveAs = (how: 'export' | 'print') => {
    void Promise.all([patient.flush(), metas.flush(attachment)]);
    leave(how);
  };

  const actions: MessageActions = {
    back: onBack,
    previous,
    next,
    reply: () => go(paths.releaseReply(message.id, paths.intakeMessage(message.id))),
    forward: () => go(paths.releaseForward(message.id, paths.intakeMessage(message.id))),
    exportOriginal: exports.original,
    exportPdf: exports.pdf,
    print,
    exportMessage: () => leaveAs('export'),
    printMessage: () => leaveAs('print'),
    remove: deletion.open,
    process: () => {
      if (holder) {
        const action = { label: 'Take over', run: takeOver };
        return notify('warning', `${holder.name} currently has this message open.`, { action });
      }
      checks.process();
    },
    snooze: picked.snooze,
    reopen: filing.reopen,
    busy: filing.isReopening,
  };
  const isDone = message.isProcessed;
  useShortcuts([
    // With Ctrl from within the fields, where e is a letter. In a note it adds the note.
    ...(isDone ? [] : [{ keys: ['e', 'mod+Enter'], label: 'File and open the next', run: actions.process, unless: '[data-field="note"]' }]),
    { keys: 'a', label: 'Assign', run: picked.assign },
    // Never a field of the form: whatever is typed next would be put into the name that stands there.
    { keys: 'p', label: 'Find the patient', run: findPatient },
    ...(matches.first ? [{ keys: 'm', label: 'Select the likeliest patient', run: matches.first }] : []),
    { keys: 't', label: 'Document type', run: picked.type },
    { keys: 'u', label: 'Mark or unmark urgent', run: picked.turnUrgent },
    ...(isDone ? [] : [{ keys: 's', label: 'Snooze', run: picked.snooze }]),
    { keys: 'd', label: 'Export', run: () => leaveAs('export') },
    { keys: '#', label: 'Delete', run: deletion.open },
    { keys: 'n', label: 'Write a note', run: () => document.querySelector<HTMLElement>('[data-field="note"]')?.focus() },
    undoShortcut,
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
  const details = (
    <>
      <Duplicates message={message} />
      <NotesPane message={message} notes={notes} />
      {words}
      <MessageFacts message={message} />
      {!isPhone && !isNarrow && <UpNext place={place} />}
      <SignaturePane message={message} />
      <Activity messageId={message.id} />
    </>
  );
  const centre: ReactNode =
    shown?.kind === 'words' ? (
      <MessageBody message={message} />
    ) : attachment ? (
      <Viewer
        attachment={attachment}
        marks={{ ...seen.marks, onPick: (field) => focusIn(`[data-field="${field}"]`) }}
        onPrint={() => exports.note('Printed')}
        onDownloaded={() => exports.note('NativeExport')}
      />
    ) : (
      <EmptyState icon={IconMail} title="This message is empty" text="It has neither words nor files." />
    );
  const forms = (
    // What is being mended need not be listed any more.
    <div onChangeCapture={checks.clear}>
      {checks.problems.length > 0 && (
        <div className="cp-problems">
          <NoticeList kind="error" title="Please fix the following before filing." messages={checks.problems} />
        </div>
      )}
      <ReferralPanel message={message} />
      <WhoseDocuments message={message} />
      <PatientPane
        form={patient}
        settings={settings}
        attachment={attachment}
        reading={reading}
        readFrom={seen.page}
        offers={offers}
        pointing={seen.pointing}
        matches={matches}
        size={size}
      />
      {attachment && (
        <DocumentPane
          key={attachment.id}
          form={metas.of(attachment)}
          attachment={attachment}
          settings={settings}
          messageDate={message.messageDate ?? message.createdDate}
          proposed={proposals.documentType}
          size={size}
        />
      )}
      <AssignmentPane message={message} proposed={proposals.assignee} size={size} />
    </div>
  );
  const dialogs = (
    <>
      <DeleteMessageDialog
        message={deleting ? message : null}
        onClose={deletion.close}
        onDeleted={() => {
          isDeleted.current = true;
          markDone(message.id);
          onDone();
        }}
        onRestored={() => {
          markOpen(message.id);
          go(paths.intakeMessage(message.id), { replace: window.location.pathname.startsWith('/intake/') });
        }}
      />
      {leaving && (
        <ExportDialog
          ids={[message.id]}
          prints={leaving === 'print'}
          isOpen={!message.isProcessed}
          onClose={() => leave(null)}
          onBegun={exports.note}
        />
      )}
      {checks.question}
      {picked.dialog}
      {guard}
    </>
  );

  if (isPhone) {
    return (
      <div className="cp-msgphone m-touch" {...swipes(previous, next)}>
        <PhoneHeader message={message} present={present} holder={holder} onTakeOver={takeOver} actions={actions} />
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
            {details}
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
        <MessageHeader message={message} present={present} holder={holder} onTakeOver={takeOver} place={place} actions={actions} />
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
          {details}
        </Drawer>
        {dialogs}
      </>
    );
  }
  return (
    <>
      <MessageHeader message={message} present={present} holder={holder} onTakeOver={takeOver} place={place} actions={actions} />
      <Panes
        left={
          <div className="cp-scroll">
            {attachments}
            {details}
          </div>
        }
        centre={centre}
        right={
          <>
            <div className="cp-scroll cp-grow">{forms}</div>
            <KeyHints />
          </>
        }
      />
      {dialogs}
    </>
  );
}

const HINTS = [
  ['p', 'patient'],
  ['t', 'type'],
  ['a', 'assign'],
  ['s', 'snooze'],
  ['?', 'keys'],
] as const;

/** The single keys that are used most. */
const KeyHints = () => (
  <div className="cp-keyhints cp-muted">
    {HINTS.map(([key, what]) => (
      <span key={key}>
        <kbd className="cp-kbd">{key}</kbd> {what}
      </span>
    ))}
  </div>
);

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
