import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { IconMail } from '@tabler/icons-react';
import { type ReactNode, useRef, useState } from 'react';
import { useProfile } from '@/app/session';
import type { Attachment, Message } from '@/api/types';
import { ReferralPanel } from '@/domain/conversations/ReferralPanel';
import { refreshActivity, refreshMessage } from '@/domain/messaging/api';
import { usePresence } from '@/domain/messaging/presence';
import { DeleteMessageDialog } from '@/domain/messaging/DeleteMessageDialog';
import { SignaturePane } from '@/domain/messaging/signatures/SignaturePane';
import type { Export } from '@/domain/messaging/rules';
import { ExportDialog } from '@/domain/messaging/tasks/ExportDialog';
import { Viewer } from '@/domain/messaging/viewer/Viewer';
import { tellsOf, useHubEvents } from '@/shared/hubs';
import { paths } from '@/shared/paths';
import { useGo } from '@/shared/ui/AppLink';
import { EmptyState, NoticeList } from '@/shared/ui/blocks';
import { LeaveGuard } from '@/shared/ui/LeaveGuard';
import { useViewport } from '@/shared/useViewport';
import { markDone, markOpen, type Place } from '../trail';
import { AssignmentPane } from './AssignmentPane';
import { AttachmentList, type ChartDocuments } from './AttachmentList';
import { ChartDocument } from './chart/ChartDocument';
import { ChartFoot } from './chart/ChartFoot';
import { ChartPane } from './chart/ChartPane';
import { type ChartPaneState, useChartPane } from './chart/useChartPane';
import { useSending } from './chart/useSending';
import { DocumentPane } from './DocumentPane';
import { Duplicates } from './Duplicates';
import { MessageBody } from './MessageBody';
import { Activity, MessageFacts, MessageText } from './MessageDetails';
import { NarrowLayout, PhoneLayout, swipes, WideLayout } from './MessageLayouts';
import { NotesPane } from './NotesPane';
import { PatientPane } from './PatientPane';
import { UpNext } from './UpNext';
import { useFiling, useHold } from './useFiling';
import { useExport, useReadMarks } from './useMessageActions';
import { useMessageCommands } from './useMessageCommands';
import { type MessagePanes, useMessagePanes } from './useMessagePanes';
import { type MetaForms, useMetaForms } from './useMetaForms';
import { type Notes, useNotes } from './useNotes';
import { type PatientForm, usePatientForm } from './usePatientForm';
import { type PatientMatches, usePatientMatches } from './usePatientMatches';
import { usePicked } from './usePicked';
import { useProcessing } from './useProcessing';
import { useProposals } from './useProposals';
import { type Reading, useReading } from './useReading';
import { WhoseDocuments } from './WhoseDocuments';

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

/** The screen of a received message: the document in the middle, its details around it. */
export function MessageView({ message, settings, place, previous, next, onDone, onBack }: Props) {
  const { isPhone, isNarrow } = useViewport();
  const panes = useMessagePanes(message);
  const { attachment } = panes;
  const present = usePresence(message.id, useProfile().userId);
  const patient = usePatientForm(message, settings);
  const metas = useMetaForms(message, settings);
  const reading = useReading(attachment, patient, settings);
  const matches = usePatientMatches(message, patient, settings);
  const proposals = useProposals(message);
  const chart = useChartPane({ message, patient, metas, attachment });
  useReadMarks(message, attachment);
  useFreshMessage(message.id);

  const exports = useExport(attachment);
  const filing = useFiling(message, onDone);
  const hold = useHold(message, present);
  const notes = useNotes(message);
  const picked = usePicked(message, attachment, metas, onDone);
  const findPatient = chart.isLocked && chart.canFind ? chart.find : panes.findPatient;
  const checks = useProcessing(
    {
      message,
      settings,
      patient,
      certain: matches.certain,
      metas,
      attachment,
      notes,
      isReading: reading.isReading,
      findPatient,
      takeKnown: chart.takeKnown,
      chartPatient: chart.target,
      chartProblems: chart.problems,
      takeProposed: () => chart.takeProposed(panes.sawForm),
      askType: picked.askType,
      wereSeen: (fields) => panes.sawForm && reading.seen.wereSeen(fields),
    },
    (accepted, way) => {
      if (way === 'plain') filing.file({ processType: exports.processType(), ...accepted });
      else
        filing.intoChart(
          way,
          chart.documents.wanted.map(({ id }) => id),
          accepted,
        );
    },
    () => focusProblem(patient, panes),
  );
  const sending = useSending({ message, patient, metas, chart });
  const [isDeleting, deletion] = useDisclosure();
  const [leaving, leave] = useState<Leaving>(null);
  const actions = useMessageCommands({
    message,
    attachment,
    previous,
    next,
    onBack,
    exports,
    filing,
    hold,
    picked,
    process: checks.process,
    chart: chart.commands(checks.intoChart),
    sending,
    leaveAs: (how) => {
      // The server exports the saved state.
      void Promise.all([patient.flush(), metas.flush(attachment)]);
      leave(how);
    },
    remove: deletion.open,
    findPatient,
    takeFirst: matches.first,
  });

  const parts = {
    message,
    place,
    present,
    hold,
    actions,
    panes,
    files: <Files message={message} panes={panes} note={exports.note} chart={chart.isInUse ? chart.documents : undefined} />,
    details: <Details message={message} notes={notes} place={place} onOpenText={panes.showWords} />,
    centre: <Centre message={message} panes={panes} reading={reading} note={exports.note} />,
    forms: (
      <Forms {...{ message, settings, attachment, patient, metas, reading, matches, proposals, checks, chart }} isShown={panes.showsForm} />
    ),
    foot: <ChartFoot chart={chart} actions={actions} isProcessed={Boolean(message.isProcessed)} hasButton={!isPhone} />,
  };
  const dialogs = (
    <Dialogs
      message={message}
      isDeleting={isDeleting}
      onKeep={deletion.close}
      leaving={leaving}
      onStay={() => leave(null)}
      onBegun={exports.note}
      onDone={onDone}
      forms={{ patient, metas, notes }}
    >
      {checks.question}
      {picked.dialog}
      {sending.question}
    </Dialogs>
  );
  if (isPhone)
    return (
      <div className="cp-msgphone m-touch" {...swipes(previous, next)}>
        <PhoneLayout {...parts} unconfirmed={patient.unverified.size} />
        {dialogs}
      </div>
    );
  return (
    <>
      {isNarrow ? <NarrowLayout {...parts} /> : <WideLayout {...parts} />}
      {dialogs}
    </>
  );
}

/** Refetches the message on its events. */
function useFreshMessage(id: string) {
  const client = useQueryClient();
  useHubEvents((frame) => {
    if (!tellsOf(frame, 'intake', id)) return;
    void refreshMessage(client, id);
    void refreshActivity(client, id);
  });
}

function focusProblem(patient: PatientForm, panes: MessagePanes) {
  const first = patient.missing.details ? '[data-field="firstName"]' : '[data-field][aria-invalid="true"], .cp-unv input';
  // Refused fields are marked with the next render.
  setTimeout(() => panes.focusIn(first));
}

type Note = ReturnType<typeof useExport>['note'];

type FilesProps = { message: Message; panes: MessagePanes; note: Note; chart?: ChartDocuments };

const Files = ({ message, panes, note, chart }: FilesProps) => (
  <AttachmentList
    attachments={message.attachments}
    selected={panes.attachment?.id ?? null}
    onSelect={panes.showFile}
    onPrinted={() => note('Printed')}
    onExported={() => note('NativeExport')}
    chart={chart}
  />
);

type DetailsProps = { message: Message; notes: Notes; place: Place | null; onOpenText: () => void };

/** The details of the message besides its documents. */
function Details({ message, notes, place, onOpenText }: DetailsProps) {
  const { isPhone, isNarrow } = useViewport();
  return (
    <>
      <Duplicates message={message} />
      <NotesPane message={message} notes={notes} />
      <MessageText message={message} onOpen={onOpenText} />
      <MessageFacts message={message} />
      {!isPhone && !isNarrow && <UpNext place={place} />}
      <SignaturePane message={message} />
      <Activity messageId={message.id} />
    </>
  );
}

type CentreProps = { message: Message; panes: MessagePanes; reading: Reading; note: Note };

/** The document, or the text of the message. */
function Centre({ message, panes, reading: { seen }, note }: CentreProps) {
  if (panes.showsWords) return <MessageBody message={message} />;
  if (!panes.attachment) return <EmptyState icon={IconMail} title="This message is empty" text="It has no text and no files." />;
  return (
    <Viewer
      attachment={panes.attachment}
      marks={{ ...seen.marks, onPick: (field) => panes.focusIn(`[data-field="${field}"]`) }}
      onPrint={() => note('Printed')}
      onDownloaded={() => note('NativeExport')}
    />
  );
}

type FormsProps = {
  message: Message;
  settings: Export;
  attachment: Attachment | undefined;
  patient: PatientForm;
  metas: MetaForms;
  reading: Reading;
  matches: PatientMatches;
  proposals: ReturnType<typeof useProposals>;
  checks: ReturnType<typeof useProcessing>;
  chart: ChartPaneState;
  isShown: boolean;
};

/** The form: patient, document type and assignment. */
function Forms({ message, settings, attachment, patient, metas, reading, matches, proposals, checks, chart, isShown }: FormsProps) {
  const { isPhone } = useViewport();
  const size = isPhone ? 'md' : 'sm';
  return (
    // Errors being corrected need not be listed any more.
    <div onChangeCapture={checks.clear}>
      {checks.problems.length > 0 && (
        <div className="cp-problems">
          <NoticeList kind="error" title="Please fix the following before filing." messages={checks.problems} />
        </div>
      )}
      <ReferralPanel message={message} />
      <WhoseDocuments message={message} />
      <ChartPane chart={chart} patient={patient} isProcessed={Boolean(message.isProcessed)} isShown={isShown} />
      <PatientPane
        form={patient}
        settings={settings}
        attachment={attachment}
        reading={reading.isReading}
        readFrom={reading.seen.page}
        offers={reading.offers}
        pointing={reading.seen.pointing}
        matches={matches}
        hasChartVisits={chart.visit.can}
        onClear={chart.clear}
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
      {attachment && !message.isProcessed && (
        <ChartDocument
          key={`chart ${attachment.id}`}
          chart={chart}
          attachment={attachment}
          assigneeId={message.assignedTo?.id}
          isShown={isShown}
          error={chart.typeError(attachment, checks.problems.length > 0)}
          size={size}
        />
      )}
      <AssignmentPane message={message} proposed={proposals.assignee} size={size} />
    </div>
  );
}

/** The pending export or print of the whole message. */
type Leaving = 'export' | 'print' | null;

type DialogsProps = {
  message: Message;
  isDeleting: boolean;
  onKeep: () => void;
  leaving: Leaving;
  onStay: () => void;
  onBegun: Note;
  onDone: () => void;
  forms: { patient: PatientForm; metas: MetaForms; notes: Notes };
  /** The dialogs of the message's actions. */
  children: ReactNode;
};

/** The questions before it is deleted, exported, or left with unsaved changes. */
function Dialogs({ message, isDeleting, onKeep, leaving, onStay, onBegun, onDone, forms, children }: DialogsProps) {
  const { patient, metas, notes } = forms;
  const go = useGo();
  const isDeleted = useRef(false);
  return (
    <>
      <DeleteMessageDialog
        message={isDeleting ? message : null}
        onClose={onKeep}
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
        <ExportDialog ids={[message.id]} prints={leaving === 'print'} isOpen={!message.isProcessed} onClose={onStay} onBegun={onBegun} />
      )}
      {children}
      <LeaveGuard
        isDirty={() => !isDeleted.current && (patient.isUnsaved() || metas.isUnsaved() || notes.isUnsaved())}
        settle={async () => (await Promise.all([patient.flush(), metas.flush(undefined)])).every(Boolean)}
        subject={message.subject || 'No subject'}
        question="Your changes here could not be saved. If you leave, they are lost."
        onLeave={notes.discard}
      />
    </>
  );
}
