import '../release.css';
import { Button, Checkbox, SegmentedControl, Select, Textarea, TextInput, UnstyledButton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { IconBookmark, IconCloudCheck, IconEye, IconSend2, IconShieldLock } from '@tabler/icons-react';
import { lazy, Suspense, useMemo, useState } from 'react';
import { ApiError } from '@/api/client';
import type { Attachment, AttachmentMeta, DocumentSource, ReleaseType } from '@/api/types';
import { askForUpgrade, isPlanRestricted } from '@/app/upgrade';
import { extensionsQuery, useFeature, useProfile } from '@/app/session';
import { selectionAfterDelete, patientDifferences } from '@/features/messaging/rules';
import { now } from '@/shared/clock';
import { reportError } from '@/shared/errors';
import { formatAddress, formatTime } from '@/shared/format';
import { notify } from '@/shared/notify';
import { paths } from '@/shared/paths';
import { useGo } from '@/shared/ui/AppLink';
import { EmptyState, NoticeList } from '@/shared/ui/blocks';
import { ConfirmDialog } from '@/shared/ui/Dialog';
import { FaxIcon } from '@/shared/ui/icons';
import { useViewport } from '@/shared/useViewport';
import {
  addressChecksQuery,
  classificationsQuery,
  discardDraft,
  patientOfAttachment,
  removeAttachment,
  savedAtKey,
  type SendAction,
  sendMessage,
  updateAttachment,
} from '../api';
import { Head } from '../Head';
import { AddressInput } from './AddressInput';
import { AttachDialog, EditAttachmentDialog } from './AttachDialog';
import { AttachmentsPanel } from './AttachmentsPanel';
import type { Kept } from './draftCache';
import { type ComposeValues, inputOf, type Mode, PATIENT_FIELDS, type PatientField, patientValues, TITLES } from './model';
import { PatientPanel } from './PatientPanel';
import { LeaveDialog, OverwriteDialog } from './questions';
import { applyType, changeTo, locksOf } from './releaseType';
import { ReviewDialog, type ReviewWords } from './ReviewDialog';
import {
  addressError,
  addressErrors,
  hasFax,
  isPatientRequired,
  needsUpgrade,
  patientFieldErrors,
  type SendError,
  type SendField,
  sendErrors,
  serverErrors,
} from './rules';
import { SavedAddressesDialog } from './SavedAddressesDialog';
import { useDraftMessage } from './useDraftMessage';
import { useUnsaved } from './useUnsaved';
import { useUploads } from './useUploads';

const Viewer = lazy(() => import('@/features/messaging/viewer/Viewer').then((m) => ({ default: m.Viewer })));

const SEND_FAILED = 'There was an error sending your message. Please contact support.';
const NOT_DISCARDED = 'The message was not discarded successfully.';

type Props = {
  mode: Mode;
  /** The fields without anything typed. */
  start: ComposeValues;
  draftId: string | null;
  /** Text that a reload or an ended session left behind. */
  kept: Kept | null;
  keptName: string;
  releaseTypes: ReleaseType[];
  sources: DocumentSource[];
  returnUrl: string | undefined;
};

const actionOf = (mode: Mode): SendAction => (mode === 'forward' || mode === 'reply' ? mode : 'send');
const fieldIds: Record<'releaseType' | 'from', string> = { releaseType: 'release-type', from: 'release-from' };

/** The identifier of one act of sending; `randomUUID` needs a secure page. */
function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('');
}

/** Writing a release, whatever it began as. */
export function Composer({ mode, start, draftId, kept, keptName, releaseTypes, sources, returnUrl }: Props) {
  const go = useGo();
  const client = useQueryClient();
  const profile = useProfile();
  const { isPhone } = useViewport();
  const tracksFax = useFeature('AutomatedCarePlans');
  const extensions = useQuery(extensionsQuery).data?.map((e) => e.extension.toLowerCase()) ?? [];

  const [values, setValues] = useState<ComposeValues>(kept?.values ?? start);
  const [baseline, setBaseline] = useState(() => JSON.stringify(start));
  const [savedAt, setSavedAt] = useState<string | null>(() =>
    draftId ? (client.getQueryData<string>(savedAtKey(draftId)) ?? null) : null,
  );
  const [busy, setBusy] = useState<'save' | 'review' | 'discard' | 'send' | null>(null);
  const [errors, setErrors] = useState<SendError[]>([]);
  const [serverLines, setServerLines] = useState<string[]>([]);
  const [showCopies, setShowCopies] = useState(values.cc.length + values.bcc.length > 0);
  const [view, setView] = useState<'message' | 'preview'>('message');
  const [selectedId, setSelectedId] = useState<string | null>(null);
  const [dialog, setDialog] = useState<'saved' | 'discard' | null>(null);
  const [attaching, setAttaching] = useState<File[] | null>(null);
  const [editing, setEditing] = useState<Attachment | null>(null);
  const [removing, setRemoving] = useState<Attachment | null>(null);
  const [removeBusy, setRemoveBusy] = useState(false);
  const [found, setFound] = useState<{ fileName: string; patient: ReturnType<typeof patientValues> } | null>(null);
  const [words, setWords] = useState<ReviewWords>({ reasonForDisclosure: '', trackFax: false });
  const [review, setReview] = useState<{ key: string; errors: string[] } | null>(null);

  const draft = useDraftMessage(kept?.draftId ?? draftId);
  const attachedBytes = draft.attachments.reduce((sum, a) => sum + a.sizeInBytes, 0);
  const uploads = useUploads({ extensions, attachedBytes, onDone: (a) => void attached(a) });
  const type = releaseTypes.find((t) => t.id === values.releaseTypeId);
  const locks = locksOf(type);
  const classifications = useQuery({ ...classificationsQuery, enabled: Boolean(values.classification) });

  const isDirty = JSON.stringify(values) !== baseline;
  const isUnsettled = isDirty || uploads.isBusy || (draft.id !== null && mode === 'new' && savedAt === null);
  const unsaved = useUnsaved({
    name: keptName,
    kept: { values, draftId: draft.id },
    isDirty,
    asks: values.from !== '' && isUnsettled,
  });

  // ── Addresses ──
  const addresses = useMemo(() => [...new Set([...values.to, ...values.cc, ...values.bcc])], [values.to, values.cc, values.bcc]);
  const checkable = addresses.filter((a) => addressError(a) === null);
  const checks = useQuery(addressChecksQuery(checkable));
  const invalid = addressErrors(addresses, checks.data ?? []);

  // ── Errors ──
  const unfinished = uploads.uploads.map((u) => u.file.name);
  const currentErrors = (map: ReadonlyMap<string, string>) =>
    sendErrors({ values, mode, attachments: draft.attachments, unfinished, invalid: map, today: now() });
  // What was mended since the last look is gone; new gaps wait for the next look.
  const open = errors.length ? currentErrors(invalid) : [];
  const shownErrors = errors.filter((e) => open.some((o) => o.text === e.text));
  const errorOf = (field: SendField) => shownErrors.find((e) => e.field === field)?.text;
  const wasReviewed = shownErrors.some((e) => (PATIENT_FIELDS as readonly string[]).includes(e.field));
  const patientErrors = wasReviewed ? patientFieldErrors(values.patient, mode, now()) : {};

  const set = (part: Partial<ComposeValues>) => setValues((v) => ({ ...v, ...part }));
  const setTo = (to: string[]) => setValues((v) => changeTo(v, to, type));
  const addTo = (more: string[]) => setTo([...values.to, ...more.filter((a) => !values.to.includes(a))]);
  const chooseType = (id: string | null) =>
    setValues((v) =>
      applyType(
        v,
        releaseTypes.find((t) => t.id === id),
        { before: type, sources },
      ),
    );

  // ── Draft ──
  const payload = (said: ReviewWords = words) =>
    inputOf(values, {
      comments: said.comments,
      reasonForDisclosure: said.reasonForDisclosure || undefined,
      releaseTypes,
      attachments: draft.attachments,
    });
  const tell = (error: unknown) => {
    if (error instanceof ApiError && !error.isRefused && !error.isRevoked) setServerLines(serverErrors(error.modelState, error.message));
    else reportError(error);
  };
  const save = async () => {
    setServerLines([]);
    const saved = await draft.save(payload());
    setBaseline(JSON.stringify(values));
    unsaved.saved();
    return saved;
  };
  const saveByHand = async () => {
    setBusy('save');
    try {
      const { id } = await save();
      const at = now().toISOString();
      setSavedAt(at);
      client.setQueryData(savedAtKey(id), at);
      // The address names the draft from now on, so that a reload opens it.
      if (draftId === null && !uploads.isBusy) {
        unsaved.settle();
        go(paths.releaseDraft(id), { replace: true });
      }
      return true;
    } catch (error) {
      tell(error);
      return false;
    } finally {
      setBusy(null);
    }
  };
  const discard = async () => {
    setBusy('discard');
    try {
      if (draft.id) {
        const answer = await discardDraft(draft.id);
        notify('success', answer?.message ?? 'The draft was deleted successfully.');
      }
      unsaved.settle();
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.isRefused) return false;
      notify('error', NOT_DISCARDED);
      return false;
    } finally {
      setBusy(null);
    }
  };

  // ── Attachments ──
  const addFiles = async (files: File[]) => {
    try {
      if (!draft.id) await save();
      setAttaching(files);
    } catch (error) {
      tell(error);
    }
  };
  const attach = (files: { file: File; meta: AttachmentMeta }[]) => {
    setAttaching(null);
    if (draft.id) uploads.start(draft.id, files);
  };
  async function attached(a: Attachment) {
    draft.changeAttachments(a.messageId, (list) => [...list.filter((x) => x.id !== a.id), a]);
    setSelectedId((s) => s ?? a.id);
    if (!a.isStructured) return;
    const answer = await patientOfAttachment(a.messageId, a.id).catch(() => null);
    const inFile = answer?.patient ?? answer;
    if (inFile?.lastName || inFile?.firstName) meetPatient(a.fileName, patientValues(inFile));
  }
  const meetPatient = (fileName: string, patient: ReturnType<typeof patientValues>) => {
    setFound({ fileName, patient });
    // Empty fields take what the document says; fields that differ are asked about.
    setValues((v) => ({
      ...v,
      patient: { ...v.patient, ...Object.fromEntries(PATIENT_FIELDS.filter((f) => !v.patient[f]).map((f) => [f, patient[f]])) },
    }));
  };
  const differences = found
    ? (patientDifferences(values.patient, found.patient) as { field: PatientField; from: string; to: string }[])
    : [];
  const editAttachment = async (meta: AttachmentMeta) => {
    if (!editing) return;
    try {
      const changed = await updateAttachment(editing.messageId, editing.id, meta);
      draft.changeAttachments(editing.messageId, (list) =>
        list.map((a) => (a.id === editing.id ? { ...a, ...changed, attachmentMeta: changed?.attachmentMeta ?? meta } : a)),
      );
      setEditing(null);
    } catch (error) {
      reportError(error);
    }
  };
  const remove = async () => {
    if (!removing) return;
    setRemoveBusy(true);
    try {
      await removeAttachment(removing.messageId, removing.id);
      const ids = draft.attachments.map((a) => a.id);
      if (selected?.id === removing.id) setSelectedId(selectionAfterDelete(ids, removing.id));
      draft.changeAttachments(removing.messageId, (list) => list.filter((a) => a.id !== removing.id));
      notify('success', 'Attachment has been deleted.');
      setRemoving(null);
    } catch (error) {
      reportError(error);
    } finally {
      setRemoveBusy(false);
    }
  };
  const selected = draft.attachments.find((a) => a.id === selectedId) ?? draft.attachments[0] ?? null;

  // ── Sending ──
  const focusError = (list: SendError[]) => {
    const first = list[0];
    if (!first) return;
    requestAnimationFrame(() => {
      const box = document.getElementById('release-errors');
      const field = document.getElementById(first.field in fieldIds ? fieldIds[first.field as 'from'] : `release-${first.field}`);
      box?.scrollIntoView({ block: 'nearest' });
      (field instanceof HTMLElement && field.matches('input, textarea, button') ? field : box)?.focus();
    });
  };
  const reviewAndSend = async () => {
    setServerLines([]);
    setBusy('review');
    try {
      // The server's word on addresses typed a moment ago.
      const answer = checkable.length ? await client.ensureQueryData(addressChecksQuery(checkable)).catch(() => []) : [];
      const list = currentErrors(addressErrors(addresses, answer));
      setErrors(list);
      focusError(list);
      if (list.length) return;
      if (isPlanRestricted(profile, 'send') && needsUpgrade(addresses, undefined)) return askForUpgrade();
      await save();
      setReview({ key: newKey(), errors: [] });
    } catch (error) {
      tell(error);
    } finally {
      setBusy(null);
    }
  };
  const confirm = async (said: ReviewWords) => {
    if (!draft.id || !review) return;
    setWords(said);
    setBusy('send');
    const conversation = said.trackFax ? { conversationId: newKey(), type: 'Order', conversationStatus: 'Draft' } : undefined;
    try {
      await sendMessage(actionOf(mode), draft.id, { ...payload(said), ...(conversation ? { conversation } : {}) }, review.key);
      unsaved.settle();
      notify('success', 'The message was sent successfully.');
      go(returnUrl ?? paths.release());
    } catch (error) {
      failed(error);
    } finally {
      setBusy(null);
    }
  };
  const failed = (error: unknown) => {
    if (!(error instanceof ApiError)) return setReview((r) => r && { ...r, errors: [SEND_FAILED] });
    if (error.isRefused || error.isRevoked) return;
    if (error.status === 409 && draft.id) {
      unsaved.settle();
      notify('info', error.problem.message || 'This message has been sent already.');
      return go(paths.releaseMessage(draft.id), { replace: true });
    }
    if (Object.keys(error.modelState).length) {
      setReview(null);
      return setServerLines(serverErrors(error.modelState, error.message));
    }
    setReview((r) => r && { ...r, errors: [error.problem.message || SEND_FAILED] });
  };

  const { blocker } = unsaved;
  const lines = [...new Set([...serverLines, ...shownErrors.map((e) => e.text)])];
  const name = values.subject.trim() || TITLES[mode];
  const withFax = hasFax(addresses);
  const fromSource = sources.find((s) => s.fullAddress === values.from);
  const savedLine = savedAt && !isDirty && (
    <span className="cp-row cp-muted rel-saved-at" role="status">
      <IconCloudCheck size={16} stroke={1.6} aria-hidden />
      Draft saved at {formatTime(savedAt)}
    </span>
  );
  const faxOptions = withFax && (
    <>
      <Checkbox
        label="Cover page"
        checked={values.fax.includeCoverPage}
        onChange={(e) => set({ fax: { ...values.fax, includeCoverPage: e.currentTarget.checked } })}
      />
      <Checkbox
        label="Message on the cover page"
        disabled={!values.fax.includeCoverPage}
        checked={values.fax.includeCoverPage && values.fax.includeMessageBody}
        onChange={(e) => set({ fax: { ...values.fax, includeMessageBody: e.currentTarget.checked } })}
      />
      <Checkbox
        label="Attachment descriptions"
        checked={values.fax.includeAttachmentDescriptions}
        onChange={(e) => set({ fax: { ...values.fax, includeAttachmentDescriptions: e.currentTarget.checked } })}
      />
    </>
  );
  const sendButton = (
    <Button
      leftSection={isPhone ? undefined : <IconSend2 size={16} stroke={1.8} />}
      loading={busy === 'review'}
      disabled={busy !== null && busy !== 'review'}
      onClick={() => void reviewAndSend()}
    >
      Review and send
    </Button>
  );
  const draftButtons = (
    <>
      <Button variant="subtle" disabled={busy !== null} onClick={() => setDialog('discard')}>
        Discard
      </Button>
      <Button variant="default" loading={busy === 'save'} disabled={busy !== null && busy !== 'save'} onClick={() => void saveByHand()}>
        Save
      </Button>
    </>
  );
  return (
    <>
      <Head
        title={TITLES[mode]}
        back={{ href: returnUrl ?? paths.release(), label: 'Back' }}
        beside={!isPhone && savedLine}
        actions={
          isPhone ? (
            sendButton
          ) : (
            <>
              {draftButtons}
              {sendButton}
            </>
          )
        }
      />
      <div className="cp-panes rel-panes">
        <div className="cp-pane cp-grow rel-main">
          <div className="rel-fields">
            {lines.length > 0 && (
              <div id="release-errors" tabIndex={-1}>
                <NoticeList kind="error" title="Please fix the following errors before sending." messages={lines} />
              </div>
            )}
            <div className="rel-pair">
              <Select
                id={fieldIds.releaseType}
                size="md"
                label="Release type"
                required={mode !== 'reply'}
                searchable
                openOnFocus={false}
                clearable={mode === 'reply'}
                nothingFoundMessage="No match"
                data={releaseTypes.map((t) => ({ value: t.id, label: t.name }))}
                value={values.releaseTypeId}
                onChange={chooseType}
                error={errorOf('releaseType')}
                description={values.classification ? classifications.data?.find((c) => c.code === values.classification)?.name : undefined}
                inputWrapperOrder={['label', 'input', 'description', 'error']}
              />
              <Select
                id={fieldIds.from}
                size="md"
                label="From"
                required
                disabled={locks.from}
                data={sources.map((s) => ({ value: s.fullAddress, label: formatAddress(s.fullAddress) }))}
                value={values.from || null}
                onChange={(v) => set({ from: v ?? '' })}
                leftSection={
                  fromSource && (fromSource.type === 'Fax' ? <FaxIcon size={16} stroke={1.6} /> : <IconShieldLock size={16} stroke={1.6} />)
                }
                leftSectionWidth={32}
                error={
                  errorOf('from') ??
                  (sources.length === 0
                    ? 'No address is linked to you that can send. Ask an administrator of your organization.'
                    : undefined)
                }
                description={locks.from ? 'Fixed by the release type' : undefined}
                inputWrapperOrder={['label', 'input', 'description', 'error']}
              />
            </div>
            <AddressInput
              id="release-to"
              label="To"
              required
              readOnly={locks.to}
              value={values.to}
              onChange={setTo}
              errors={invalid}
              error={errorOf('to')}
              actions={
                <>
                  {!showCopies && (
                    <UnstyledButton className="cp-link" onClick={() => setShowCopies(true)}>
                      Cc and Bcc
                    </UnstyledButton>
                  )}
                  <UnstyledButton className="cp-link cp-row" disabled={locks.to} onClick={() => setDialog('saved')}>
                    <IconBookmark size={15} stroke={1.6} aria-hidden />
                    Saved addresses
                  </UnstyledButton>
                </>
              }
            />
            {showCopies && (
              <div className="rel-pair">
                <AddressInput id="release-cc" label="Cc" value={values.cc} onChange={(cc) => set({ cc })} errors={invalid} />
                <AddressInput id="release-bcc" label="Bcc" value={values.bcc} onChange={(bcc) => set({ bcc })} errors={invalid} />
              </div>
            )}
            <TextInput
              size="md"
              label="Subject"
              autoComplete="off"
              value={values.subject}
              onChange={(e) => set({ subject: e.currentTarget.value })}
            />
            <div className="rel-body">
              <div className="cp-row rel-body-head">
                <SegmentedControl
                  aria-label="What to show"
                  value={view}
                  onChange={(v) => setView(v as 'message' | 'preview')}
                  data={[
                    { value: 'message', label: 'Message' },
                    { value: 'preview', label: 'Attachment preview' },
                  ]}
                />
                <div className="cp-grow" />
                <span className="cp-muted rel-sub rel-wide">
                  {withFax && values.fax.includeMessageBody
                    ? 'Sent as the message body and on the fax cover page'
                    : 'Sent as the message body'}
                </span>
              </div>
              {view === 'message' ? (
                <Textarea
                  aria-label="Message"
                  className="rel-text"
                  value={values.body}
                  onChange={(e) => set({ body: e.currentTarget.value })}
                />
              ) : (
                <div className="rel-preview">
                  {selected ? (
                    <Suspense fallback={null}>
                      <Viewer attachment={selected} />
                    </Suspense>
                  ) : (
                    <EmptyState icon={IconEye} title="Nothing to preview" text="Attach a file to see it here." />
                  )}
                </div>
              )}
            </div>
            {isPhone && withFax && <div className="rel-fax">{faxOptions}</div>}
          </div>
        </div>
        <div className="cp-pane rel-side">
          <PatientPanel
            key={found?.fileName}
            value={values.patient}
            onChange={(patient) => set({ patient })}
            errors={patientErrors}
            required={isPatientRequired(mode)}
            showMore={Boolean(values.patient.streetAddress1 || values.patient.city || values.patient.middleName)}
          />
          <AttachmentsPanel
            attachments={draft.attachments}
            uploads={uploads.uploads}
            selectedId={view === 'preview' ? (selected?.id ?? null) : null}
            onSelect={(id) => {
              setSelectedId(id);
              setView('preview');
            }}
            onAdd={(files) => void addFiles(files)}
            onEdit={setEditing}
            onRemove={setRemoving}
            onRetry={uploads.retry}
            onCancel={uploads.cancel}
          />
        </div>
      </div>
      <div className="cp-foot rel-foot">
        <span className="rel-wide">Send attachments as</span>
        <SegmentedControl
          aria-label="Send attachments as"
          value={values.conversion ?? 'Original'}
          onChange={(v) => set({ conversion: v === 'Pdf' ? 'Pdf' : null })}
          data={[
            { value: 'Original', label: 'Original' },
            { value: 'Pdf', label: 'PDF' },
          ]}
        />
        <div className="cp-grow" />
        {!isPhone && faxOptions}
        {isPhone && draftButtons}
      </div>

      {attaching && (
        <AttachDialog
          initial={attaching}
          extensions={extensions}
          attachedBytes={attachedBytes}
          onClose={() => setAttaching(null)}
          onAttach={attach}
        />
      )}
      {editing && <EditAttachmentDialog attachment={editing} onClose={() => setEditing(null)} onSave={editAttachment} />}
      <ConfirmDialog
        opened={removing !== null}
        onClose={() => setRemoving(null)}
        onConfirm={() => void remove()}
        title="Delete Attachment"
        subject={removing?.fileName ?? ''}
        danger
        busy={removeBusy}
      />
      {found && differences.length > 0 && (
        <OverwriteDialog
          fileName={found.fileName}
          differences={differences}
          onKeep={() => setFound(null)}
          onOverwrite={() => {
            set({ patient: { ...values.patient, ...Object.fromEntries(differences.map((d) => [d.field, d.to])) } });
            setFound(null);
          }}
        />
      )}
      {dialog === 'saved' && <SavedAddressesDialog current={values.to} onClose={() => setDialog(null)} onPick={addTo} />}
      <ConfirmDialog
        opened={dialog === 'discard'}
        onClose={() => setDialog(null)}
        onConfirm={() => void discard().then((done) => done && go(returnUrl ?? paths.release()))}
        title="Discard this release?"
        subject={name}
        question="The text and its attachments are removed."
        confirmLabel="Discard"
        danger
        busy={busy === 'discard'}
      />
      {review && (
        <ReviewDialog
          values={values}
          mode={mode}
          attachments={draft.attachments}
          start={{ ...words, trackFax: words.trackFax || Boolean(type?.trackFaxResponses) }}
          canTrackFax={tracksFax && withFax}
          busy={busy === 'send'}
          errors={review.errors}
          onClose={(said) => {
            setWords(said);
            setReview(null);
          }}
          onConfirm={(said) => void confirm(said)}
        />
      )}
      {blocker.status === 'blocked' && (
        <LeaveDialog
          subject={name}
          busy={busy === 'save' || busy === 'discard' ? busy : null}
          onStay={blocker.reset}
          onSave={() => {
            setBusy('save');
            save()
              .then(
                () => {
                  unsaved.settle();
                  blocker.proceed();
                },
                (error: unknown) => {
                  tell(error);
                  blocker.reset();
                },
              )
              .finally(() => setBusy(null));
          }}
          onDiscard={() => void discard().then((done) => (done ? blocker.proceed() : blocker.reset()))}
        />
      )}
    </>
  );
}
