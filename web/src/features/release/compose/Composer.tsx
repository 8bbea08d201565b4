import '../release.css';
import { SegmentedControl, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Attachment, DocumentSource, Message, ReleaseType } from '@/api/types';
import { extensionsQuery, useFeature, useProfile } from '@/app/session';
import { Presence, usePresence } from '@/domain/messaging/presence';
import { SignaturePane } from '@/domain/messaging/signatures/SignaturePane';
import { useShortcuts } from '@/shared/shortcuts';
import { paths } from '@/shared/paths';
import { Notice, NoticeList } from '@/shared/ui/blocks';
import { useViewport } from '@/shared/useViewport';
import { Attachments } from './Attachments';
import { ComposerHead, DraftButtons } from './ComposerHead';
import type { Kept } from './draftCache';
import { type BodyView, MessageBody } from './MessageBody';
import { type ComposeValues, type Mode, nameOf, PATIENT_MORE_FIELDS, type PatientValues } from './model';
import { Original } from './Original';
import { PatientPanel } from './PatientPanel';
import { LeaveDialog, OverwriteDialog } from './questions';
import { lacksForReferral } from './referral';
import { ReleaseFields } from './ReleaseFields';
import { ReviewDialog, type ReviewWords } from './ReviewDialog';
import { isPatientRequired } from './rules';
import { FaxChoices, SendAs } from './SendOptions';
import { useDocumentOrders } from './useDocumentOrders';
import { type DraftMessage, useDraftMessage } from './useDraftMessage';
import { useFoundPatient } from './useFoundPatient';
import { useReleaseErrors } from './useReleaseErrors';
import { type ReleaseForm, useReleaseForm } from './useReleaseForm';
import { type ReviewState, useReview } from './useReview';
import { type Saving, useSaving } from './useSaving';
import { useSending } from './useSending';
import { useUploads } from './useUploads';

type Props = {
  mode: Mode;
  /** The initial fields. */
  start: ComposeValues;
  draftId: string | null;
  /** As the fields were read. */
  draftVersion: number | undefined;
  /** Starts over with the draft as last read; absent if the draft has its own URL. */
  onReload: (() => void) | undefined;
  /** Unsaved text from before a reload or the end of the session. */
  kept: Kept | null;
  /** Starts an empty release instead of the interrupted one. */
  onAnew?: () => void;
  keptName: string;
  releaseTypes: ReleaseType[];
  sources: DocumentSource[];
  returnUrl: string | undefined;
  /** The original message, whose documents stay visible. */
  original?: Message | null;
  /** The release becomes a tracked referral. */
  isReferral?: boolean;
};

/** The composer of a release, reply or forward. */
export function Composer({ mode, start, draftId, draftVersion, kept, onAnew, original, isReferral = false, ...given }: Props) {
  const profile = useProfile();
  const { isPhone, isNarrow } = useViewport();
  const extensions = useQuery(extensionsQuery).data?.map((e) => e.extension.toLowerCase()) ?? [];
  const back = given.returnUrl ?? paths.release();
  const [pane, setPane] = useState<Pane>('reply');

  const form = useReleaseForm({ begun: kept?.values ?? start, releaseTypes: given.releaseTypes, sources: given.sources });
  const { values, set } = form;
  const draft = useDraftMessage(kept?.draftId ?? draftId, kept ? kept.draftVersion : draftVersion, () => void loadTheirs());
  const followOrders = useDocumentOrders(values.patient, draft);
  const changePatient = (next: PatientValues) => {
    followOrders(next);
    set({ patient: next });
  };
  const patient = useFoundPatient(values.patient, changePatient);
  const present = usePresence(draft.id, profile.userId);
  const looked = useLookedAt(draft.attachments);
  const uploads = useUploads({
    extensions,
    attachedBytes: draft.attachments.reduce((sum, a) => sum + a.sizeInBytes, 0),
    onDone: (a) => {
      draft.changeAttachments(a.messageId, (list) => [...list.filter((x) => x.id !== a.id), a]);
      looked.selectFirst(a.id);
      void patient.read(a);
    },
  });
  const errors = useReleaseErrors({ mode, form, draft, uploads });
  const review = useReview(isReferral);
  const { keptName, onReload } = given;
  const saving = useSaving({ mode, start, draftId, keptName, onReload, back, form, draft, uploads, errors, review });
  function loadTheirs() {
    return saving.loadTheirs();
  }
  const sending = useSending({ mode, back, form, draft, uploads, errors, review, saving, onErrors: () => setPane('reply') });

  const isAnswer = mode === 'reply' && original != null && form.addresses.length === 1 && form.addresses[0] === original.fromAddress;
  const isPlainReply = isAnswer && draft.attachments.length === 0 && uploads.uploads.length === 0;
  useShortcuts([
    {
      keys: 'mod+Enter',
      label: isPlainReply ? 'Send the reply' : 'Review and send',
      run: () => void (saving.busy === null && sending.reviewAndSend(isPlainReply)),
    },
  ]);

  /** The original's documents beside the reply, or one of both on narrow screens. */
  const answers = original && original.attachments.length > 0 ? original : null;
  const faxChoices = form.withFax && <FaxChoices value={values.fax} onChange={(fax) => set({ fax })} />;
  return (
    <>
      <ComposerHead mode={mode} back={back} saving={saving} isPlainReply={isPlainReply} onSend={() => void sending.reviewAndSend()} />
      {answers && isNarrow && <PaneChoice pane={pane} onPane={setPane} />}
      <div className="cp-panes rel-panes" data-pane={answers && isNarrow ? pane : undefined}>
        {answers && (!isNarrow || pane === 'original') && <Original message={answers} />}
        <div className="cp-pane cp-grow rel-main">
          <div className="rel-fields">
            <Presence present={present} />
            {draft.banner}
            {kept && onAnew && <Interrupted settle={saving.unsaved.settle} onAnew={onAnew} />}
            <SendErrors lines={errors.lines} />
            <ReleaseFields mode={mode} form={form} errors={errors} />
            <MessageBody
              view={looked.view}
              onView={looked.setView}
              value={values.body}
              onChange={(body) => set({ body })}
              startsInText={mode === 'reply'}
              hint={bodyHint(form, isPlainReply)}
              attachment={looked.selected}
            />
            {isPhone && form.withFax && <div className="rel-fax">{faxChoices}</div>}
          </div>
        </div>
        <div className="cp-pane rel-side">
          <PatientPanel
            key={patient.source}
            value={values.patient}
            onChange={changePatient}
            errors={errors.ofPatient}
            required={isPatientRequired(mode)}
            showMore={PATIENT_MORE_FIELDS.some((f) => values.patient[f] !== '')}
          />
          <Attachments
            draft={draft}
            patient={values.patient}
            uploads={uploads}
            extensions={extensions}
            selected={looked.selected}
            marksSelected={looked.view === 'preview'}
            onSelect={looked.select}
            onPreview={looked.preview}
            ensureDraft={saving.ensureDraft}
          />
          <Signatures draft={draft} values={values} />
        </div>
      </div>
      <div className="cp-foot rel-foot">
        <SendAs value={values.conversion} onChange={(conversion) => set({ conversion })} />
        <div className="cp-grow" />
        {isPhone ? <DraftButtons saving={saving} /> : faxChoices}
      </div>

      {patient.asked && (
        <OverwriteDialog
          key={patient.asked.attachmentId}
          fileName={patient.asked.fileName}
          differences={patient.differences}
          onKeep={patient.keep}
          onOverwrite={patient.overwrite}
        />
      )}
      {saving.discardQuestion}
      <Review mode={mode} form={form} draft={draft} review={review} isBusy={saving.busy === 'send'} onConfirm={sending.confirm} />
      <BeforeLeaving subject={nameOf(values, mode)} saving={saving} />
    </>
  );
}

/** The previewed attachment, and whether it or the text is shown. */
function useLookedAt(attachments: Attachment[]) {
  const [view, setView] = useState<BodyView>('message');
  const [selectedId, select] = useState<string | null>(null);
  return {
    view,
    setView,
    selected: attachments.find((a) => a.id === selectedId) ?? attachments[0] ?? null,
    select,
    selectFirst: (id: string) => select((s) => s ?? id),
    preview: (id: string) => {
      select(id);
      setView('preview');
    },
  };
}

function bodyHint({ withFax, values }: ReleaseForm, isPlainReply: boolean) {
  if (isPlainReply) return 'Ctrl+Enter sends the reply';
  return withFax && values.fax.includeMessageBody ? 'Message (also printed as a fax page)' : 'Sent as the message body';
}

type Pane = 'reply' | 'original';

const PaneChoice = ({ pane, onPane }: { pane: Pane; onPane: (pane: Pane) => void }) => (
  <div className="cp-bar">
    <SegmentedControl
      aria-label="Reply or original"
      value={pane}
      onChange={(v) => onPane(v as Pane)}
      data={[
        { value: 'reply', label: 'Your reply' },
        { value: 'original', label: 'Their document' },
      ]}
    />
  </div>
);

/** Notice that the text was restored after a reload or the end of the session. */
const Interrupted = ({ settle, onAnew }: { settle: () => void; onAnew: () => void }) => (
  <Notice kind="info">
    Your interrupted release is restored with its recipients, patient and files.{' '}
    <UnstyledButton
      className="cp-link"
      onClick={() => {
        // Saved text stays among the drafts.
        settle();
        onAnew();
      }}
    >
      Start a new one
    </UnstyledButton>
  </Notice>
);

const SendErrors = ({ lines }: { lines: string[] }) =>
  lines.length > 0 && (
    <div id="release-errors" tabIndex={-1}>
      <NoticeList kind="error" title="Please fix the following errors before sending." messages={lines} />
    </div>
  );

const Signatures = ({ draft, values }: { draft: DraftMessage; values: ComposeValues }) =>
  draft.id && (
    <SignaturePane
      message={{
        id: draft.id,
        subject: values.subject,
        direction: 'Release',
        attachments: draft.attachments,
        patient: values.patient,
      }}
    />
  );

type ReviewProps = {
  mode: Mode;
  form: ReleaseForm;
  draft: DraftMessage;
  review: ReviewState;
  isBusy: boolean;
  onConfirm: (words: ReviewWords, acceptsPatient: boolean) => Promise<void>;
};

function Review({ mode, form, draft, review: { review, words, setReview, setWords }, isBusy, onConfirm }: ReviewProps) {
  const tracksFax = useFeature('AutomatedCarePlans');
  if (!review || !draft.id) return null;
  return (
    <ReviewDialog
      draftId={draft.id}
      values={form.values}
      mode={mode}
      attachments={draft.attachments}
      start={{ ...words, trackFax: words.trackFax || Boolean(form.type?.trackFaxResponses) }}
      faxFrom={form.faxFrom}
      canTrackFax={tracksFax && form.withFax}
      lacksForReferral={lacksForReferral(form.values, mode, draft.attachments)}
      newNumbers={review.newNumbers}
      differing={review.differing}
      busy={isBusy}
      errors={review.errors}
      onClose={(said) => {
        setWords(said);
        setReview(null);
      }}
      onConfirm={(said, acceptsPatient) => void onConfirm(said, acceptsPatient)}
    />
  );
}

/** Asks whether to save unsaved changes on leaving. */
function BeforeLeaving({ subject, saving: { busy, act, save, discard, unsaved } }: { subject: string; saving: Saving }) {
  const { blocker, settle } = unsaved;
  if (blocker.status !== 'blocked') return null;
  return (
    <LeaveDialog
      subject={subject}
      busy={busy === 'save' || busy === 'discard' ? busy : null}
      onStay={blocker.reset}
      onSave={() => {
        void act('save', save).then((done) => {
          if (!done) return blocker.reset();
          settle();
          blocker.proceed();
        });
      }}
      onDiscard={() => void discard().then((done) => (done ? blocker.proceed() : blocker.reset()))}
    />
  );
}
