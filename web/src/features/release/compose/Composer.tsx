import '../release.css';
import { Button, SegmentedControl, TextInput, UnstyledButton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { IconCloudCheck, IconSend2, IconShieldLock } from '@tabler/icons-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { ApiError } from '@/api/client';
import type { DifferingDocument, DocumentSource, Message, ReleaseType } from '@/api/types';
import { extensionsQuery, useFeature, useProfile } from '@/app/session';
import { askForUpgrade, isPlanRestricted } from '@/app/upgrade';
import { differingDocuments, messageQuery } from '@/domain/messaging/api';
import { useRestore } from '@/domain/messaging/DeleteMessageDialog';
import { Presence, usePresence } from '@/domain/messaging/presence';
import { PATIENT_FIELDS } from '@/domain/messaging/rules';
import { SignaturePane } from '@/domain/messaging/signatures/SignaturePane';
import { useAutosave } from '@/domain/messaging/useAutosave';
import { now } from '@/shared/clock';
import { reportError, reportFailure } from '@/shared/errors';
import { formatAddress, formatTime } from '@/shared/format';
import { Select } from '@/shared/form/Select';
import { notify } from '@/shared/notify';
import { paths } from '@/shared/paths';
import { useGo } from '@/shared/ui/AppLink';
import { BackHead } from '@/shared/ui/BackHead';
import { Notice, NoticeList } from '@/shared/ui/blocks';
import { FaxIcon } from '@/shared/ui/icons';
import { useShortcuts } from '@/shared/shortcuts';
import { useDiscard } from '@/shared/ui/useDiscard';
import { offerUndo } from '@/shared/undo';
import { usePreference } from '@/shared/usePreference';
import { useViewport } from '@/shared/useViewport';
import {
  addressChecksKey,
  addressChecksQuery,
  classificationsQuery,
  refetchRelease,
  savedAtKey,
  type SendAction,
  sendMessage,
  sendReferral,
} from '../api';
import { tellSent } from '../sent';
import { AddressFields } from './AddressFields';
import { Attachments } from './Attachments';
import type { Kept } from './draftCache';
import { faxesInstead } from './faxesInstead';
import { type BodyView, MessageBody } from './MessageBody';
import { Original } from './Original';
import { type ComposeValues, inputOf, LAST_FROM, LAST_TYPE, type Mode, newKey, PATIENT_MORE_FIELDS, TITLES } from './model';
import { PatientPanel } from './PatientPanel';
import { LeaveDialog, OverwriteDialog } from './questions';
import { applyType, changeTo, fixesTo, leavesWith, locksOf } from './releaseType';
import { ReviewDialog, type ReviewWords } from './ReviewDialog';
import {
  addressError,
  addressErrors,
  hasFax,
  isPatientRequired,
  needsUpgrade,
  patientFieldErrors,
  patientFormErrors,
  type SendError,
  type SendField,
  sendErrors,
  serverErrors,
} from './rules';
import { lacksForReferral } from './referral';
import { FaxChoices, SendAs } from './SendOptions';
import { useDraftMessage } from './useDraftMessage';
import { useFoundPatient } from './useFoundPatient';
import { useUnsaved } from './useUnsaved';
import { useUploads } from './useUploads';

const FIXED = 'Fixed by the release type';
const SEND_FAILED = 'There was an error sending your message. Please contact support.';
const LOOKUP_FAILED = 'Forwarding address lookup failed. Falling back to fax number.';
const NOT_DISCARDED = 'The message was not discarded successfully.';
const NO_SOURCE = 'No address is linked to you that can send. Ask an administrator of your organization.';

type Props = {
  mode: Mode;
  /** The fields without anything typed. */
  start: ComposeValues;
  draftId: string | null;
  /** As the fields were read. */
  draftVersion: number | undefined;
  /** Begins anew with the draft as it was read last; absent where the draft stands under an address of its own. */
  onReload: (() => void) | undefined;
  /** Text that a reload or an ended session left behind. */
  kept: Kept | null;
  /** Begins an empty one instead of the one that was interrupted. */
  onAnew?: () => void;
  keptName: string;
  releaseTypes: ReleaseType[];
  sources: DocumentSource[];
  returnUrl: string | undefined;
  /** The message that is answered: its documents stay in view. */
  original?: Message | null;
  /** It is to become a referral that is followed. */
  isReferral?: boolean;
};

const actionOf = (mode: Mode): SendAction => (mode === 'forward' || mode === 'reply' ? mode : 'send');
const fieldId = (field: SendField) => `release-${field}`;

/** As far as the server can be asked. */
const isSent = (id: string) =>
  refetchRelease(id).then(
    (message) => !message.isDraft,
    () => false,
  );

/** Puts the focus on the first field that keeps the message from leaving, else on the list of errors. */
function focusError(list: SendError[]) {
  const first = list[0];
  if (!first) return;
  requestAnimationFrame(() => {
    const box = document.getElementById('release-errors');
    const field = document.getElementById(fieldId(first.field));
    box?.scrollIntoView({ block: 'nearest' });
    (field?.matches('input, textarea') ? field : box)?.focus();
  });
}

/** Writing a release, whatever it began as. */
export function Composer({
  mode,
  start,
  draftId,
  draftVersion,
  onReload,
  kept,
  onAnew,
  keptName,
  releaseTypes,
  sources,
  returnUrl,
  original,
  isReferral = false,
}: Props) {
  const go = useGo();
  const client = useQueryClient();
  const profile = useProfile();
  const { isPhone, isNarrow } = useViewport();
  const tracksFax = useFeature('AutomatedCarePlans');
  const extensions = useQuery(extensionsQuery).data?.map((e) => e.extension.toLowerCase()) ?? [];
  const back = returnUrl ?? paths.release();

  const [values, setValues] = useState<ComposeValues>(kept?.values ?? start);
  const [baseline, setBaseline] = useState(() => JSON.stringify(start));
  const [savedAt, setSavedAt] = useState(() => (draftId && client.getQueryData<string>(savedAtKey(draftId))) || null);
  const [autosavedAt, setAutosavedAt] = useState<string | null>(null);
  const [, rememberFrom] = usePreference(LAST_FROM, '');
  const [, rememberType] = usePreference(LAST_TYPE, '');
  const [busy, setBusy] = useState<'save' | 'review' | 'discard' | 'send' | null>(null);
  const [errors, setErrors] = useState<SendError[]>([]);
  const [serverLines, setServerLines] = useState<string[]>([]);
  const [view, setView] = useState<BodyView>('message');
  const [selectedId, setSelectedId] = useState<string | null>(null);
  const [ask, discardQuestion] = useDiscard();
  const [pane, setPane] = useState<'reply' | 'original'>('reply');
  const [words, setWords] = useState<ReviewWords>({
    reasonForDisclosure: '',
    trackFax: false,
    referral: isReferral ? { reason: '', dueDate: null } : null,
  });
  const [review, setReview] = useState<{ key: string; errors: string[]; newNumbers: string[]; differing: DifferingDocument[] } | null>(
    null,
  );

  const set = (part: Partial<ComposeValues>) => setValues((v) => ({ ...v, ...part }));
  const patient = useFoundPatient(values.patient, (p) => set({ patient: p }));
  const draft = useDraftMessage(kept?.draftId ?? draftId, kept ? kept.draftVersion : draftVersion, () => void loadTheirs());
  const present = usePresence(draft.id, profile.userId);
  const uploads = useUploads({
    extensions,
    attachedBytes: draft.attachments.reduce((sum, a) => sum + a.sizeInBytes, 0),
    onDone: (a) => {
      draft.changeAttachments(a.messageId, (list) => [...list.filter((x) => x.id !== a.id), a]);
      setSelectedId((s) => s ?? a.id);
      void patient.read(a);
    },
  });
  const selected = draft.attachments.find((a) => a.id === selectedId) ?? draft.attachments[0] ?? null;
  const type = releaseTypes.find((t) => t.id === values.releaseTypeId);
  const locks = locksOf(type);
  const classifications = useQuery({ ...classificationsQuery, enabled: Boolean(values.classification) });

  const isDirty = JSON.stringify(values) !== baseline;
  const isUnsettled = isDirty || uploads.isBusy || (draft.id !== null && mode === 'new' && savedAt === null);
  const unsaved = useUnsaved({
    name: keptName,
    kept: { values, draftId: draft.id, draftVersion: draft.version },
    isDirty,
    // Without an address to send from there is nothing to decide; the draft is kept.
    asks: isUnsettled && values.from !== '',
    warns: isDirty || uploads.isBusy,
    onLeave: () => {
      if (isDirty) void autosave.flush();
      // Made only to take a file that never came.
      const isEmpty =
        mode === 'new' && savedAt === null && draft.attachments.length === 0 && JSON.stringify(values) === JSON.stringify(start);
      if (isEmpty) void draft.discard().catch(() => {});
    },
  });

  // ── Addresses and errors ──
  const addresses = useMemo(() => [...new Set([...values.to, ...values.cc, ...values.bcc])], [values.to, values.cc, values.bcc]);
  const checkable = addresses.filter((a) => addressError(a) === null);
  const checks = useQuery(addressChecksQuery(checkable));
  const invalid = addressErrors(addresses, checks.data ?? []);
  const withFax = hasFax(addresses);

  const unfinished = uploads.uploads.map((u) => u.file.name);
  const findErrors = (wrong: ReadonlyMap<string, string>) =>
    sendErrors({ values, mode, attachments: draft.attachments, unfinished, invalid: wrong, today: now() });
  // What was mended since the last look is gone; new gaps wait for the next look.
  const open = errors.length ? findErrors(invalid) : [];
  const shownErrors = errors.filter((e) => open.some((o) => o.text === e.text));
  const errorOf = (field: SendField) => shownErrors.find((e) => e.field === field)?.text;
  const lacksPatient = shownErrors.some((e) => (PATIENT_FIELDS as string[]).includes(e.field));
  const lines = [...new Set([...serverLines, ...shownErrors.map((e) => e.text)])];

  // ── Release type: what it does to recipients is said ──
  const isToFixed = fixesTo(type, values.to);
  const hasOthers = Boolean(type?.destinationAddress) && values.to.length > 1;
  const chooseType = (id: string | null) => {
    const next = applyType(
      values,
      releaseTypes.find((t) => t.id === id),
      { before: type, sources },
    );
    const gone = leavesWith(type, values.to, next);
    setValues(next);
    if (!gone) return;
    const again = async () => setValues((v) => ({ ...v, to: [gone, ...v.to.filter((a) => a !== gone)] }));
    offerUndo(`${formatAddress(gone)} was taken out with the release type “${type?.name}”.`, again);
  };
  const enterTo = (to: string[]) => {
    const next = changeTo(values, to, type);
    setValues(next);
    if (type && next.releaseTypeId === null)
      notify('info', `“${type.name}” goes to ${formatAddress(type.destinationAddress ?? '')}: please choose another release type.`);
  };

  // ── Draft ──
  const payload = (said: Omit<ReviewWords, 'referral'> = words, typed = values) =>
    inputOf(typed, {
      mode: actionOf(mode),
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
  const mayAutosave = busy === null && review === null && !draft.isStale && !unsaved.isSettled();
  const isWellFormed = Object.keys(patientFormErrors(values.patient, now())).length === 0;
  const typedLast = useRef(values);
  useEffect(() => {
    typedLast.current = values;
  });
  // The last rendered values to save; `done` is ahead of them.
  const unsavedText = useRef({ values, baseline, done: '' });
  useEffect(() => {
    unsavedText.current = { ...unsavedText.current, values: mayAutosave && isWellFormed ? values : start, baseline };
  });
  const autosave = useAutosave<ComposeValues>({
    pending: () => {
      const { values: typed, baseline: before, done } = unsavedText.current;
      const text = JSON.stringify(typed);
      return typed === start || text === before || text === done ? null : typed;
    },
    save: async (typed) => {
      const text = JSON.stringify(typed);
      try {
        const saved = await draft.save(payload(words, typed), true);
        unsavedText.current.done = text;
        setBaseline(text);
        setAutosavedAt(now().toISOString());
        // The URL does not name the draft yet; keep its id for a reload.
        unsaved.saved(draftId === null ? { values: typed, draftId: saved.id, draftVersion: saved.draftVersion } : undefined);
      } catch (error) {
        if (!(await draft.noteIfStale(error))) throw error;
        unsavedText.current.done = text;
      }
    },
  });
  const later = useRef(autosave.later);
  useEffect(() => {
    later.current = autosave.later;
  });
  useEffect(() => {
    if (isDirty && mayAutosave) later.current();
  }, [values, isDirty, mayAutosave]);
  /** Runs an act that blocks the buttons; its failure is told, and false answered. */
  const act = async (name: NonNullable<typeof busy>, run: () => Promise<unknown>) => {
    setBusy(name);
    try {
      await run();
      return true;
    } catch (error) {
      if (!(await draft.noteIfStale(error))) tell(error);
      return false;
    } finally {
      setBusy(null);
    }
  };
  async function loadTheirs() {
    if (!draft.id) return;
    try {
      await client.fetchQuery({ ...messageQuery(draft.id), staleTime: 0 });
    } catch (error) {
      return reportError(error);
    }
    unsaved.settle();
    if (onReload) onReload();
    else go(paths.releaseDraft(draft.id), { replace: true });
  }
  const saveByHand = () =>
    act('save', async () => {
      const { id } = await save();
      const at = now().toISOString();
      setSavedAt(at);
      client.setQueryData(savedAtKey(id), at);
      // The address names the draft from now on, so that a reload opens it. It begins anew with what is saved, which what was
      // typed meanwhile is not.
      if (draftId !== null || uploads.isBusy || typedLast.current !== values) return;
      unsaved.settle();
      go(paths.releaseDraft(id), { replace: true });
    });
  const ensureDraft = async () => {
    let id = draft.id;
    if (!id) await act('save', async () => (id = (await save()).id));
    return id;
  };
  const restore = useRestore();
  const remove = async () => {
    setBusy('discard');
    try {
      const gone = await draft.discard();
      if (gone) offerUndo('The draft was deleted successfully.', () => restore([gone]).then(() => go(paths.releaseDraft(gone))));
      unsaved.settle();
    } finally {
      setBusy(null);
    }
  };
  const askToDiscard = () =>
    ask({
      what: 'this release',
      subject: name,
      lost: 'The text and its attachments are removed.',
      run: async () => {
        await remove();
        go(back);
      },
      failed: NOT_DISCARDED,
    });
  /** Without a question, which was asked already; answers whether it is gone. */
  const discard = async () => {
    try {
      await remove();
      return true;
    } catch (error) {
      reportFailure(error, NOT_DISCARDED);
      return false;
    }
  };

  // ── Sending ──
  const sent = (answer?: { id: string; heldUntil?: string | null }) => {
    void client.invalidateQueries({ queryKey: addressChecksKey });
    rememberFrom(values.from);
    // A quick release fixes both ends: it is chosen each time.
    if (type && !locks.to) rememberType(type.id);
    unsaved.settle();
    tellSent(answer, (id) => go(paths.releaseDraft(id)));
    go(back);
  };
  const sendFailed = async (error: unknown, id: string) => {
    const stay = (text: string) => setReview((r) => r && { ...r, errors: [text] });
    if (!(error instanceof ApiError)) return stay(SEND_FAILED);
    if (error.isRefused || error.isRevoked) return;
    // A conflict may also be that it cannot be sent now.
    if (error.status === 409 && (await isSent(id))) {
      unsaved.settle();
      notify('info', error.problem.message || 'This message has been sent already.');
      return go(paths.releaseMessage(id), { replace: true });
    }
    if (await draft.noteIfStale(error)) return setReview(null);
    if (error.modelState.acceptsPatient) {
      const differing = await differingDocuments(id).catch(() => []);
      if (differing.length > 0) return setReview((r) => r && { ...r, differing });
    }
    if (Object.keys(error.modelState).length === 0) return stay(error.problem.message || SEND_FAILED);
    setReview(null);
    setServerLines(serverErrors(error.modelState, error.message));
  };
  const sendNow = async ({ id, draftVersion: version }: Message) => {
    const key = newKey();
    try {
      sent(await sendMessage(actionOf(mode), id, { ...payload(), draftVersion: version }, key));
    } catch (error) {
      // The review tells what went wrong, and tries again with the same key.
      setReview({ key, errors: [], newNumbers: [], differing: [] });
      await sendFailed(error, id);
    }
  };
  const checkAndReview = async (isPlain: boolean) => {
    setServerLines([]);
    // The server's word on addresses typed a moment ago; without it the rules here decide.
    const answer = checkable.length ? await client.ensureQueryData(addressChecksQuery(checkable)).catch(() => []) : [];
    const found = findErrors(addressErrors(addresses, answer));
    setErrors(found);
    // What is wrong stands in the reply.
    if (found.length) setPane('reply');
    focusError(found);
    if (found.length) return;
    const faxes = mode === 'forward' ? await faxesInstead(values) : null;
    if (faxes) {
      // They are to be seen before the review.
      set(faxes);
      return notify('warning', LOOKUP_FAILED);
    }
    if (isPlanRestricted(profile, 'send') && needsUpgrade(addresses, profile.testMarker ?? '')) return askForUpgrade();
    const saved = await save();
    const newNumbers = answer.filter((c) => c.isNew).map((c) => c.address);
    // An answer to its sender alone says nothing that a review could show.
    // The server refuses by itself what could not be looked up here.
    const differing = await differingDocuments(saved.id).catch(() => []);
    if (isPlain && newNumbers.length === 0 && differing.length === 0) await sendNow(saved);
    else setReview({ key: newKey(), errors: [], newNumbers, differing });
  };
  const latestCheck = useRef(checkAndReview);
  useEffect(() => {
    latestCheck.current = checkAndReview;
  });
  /** Waits for files on their way, then goes on with what is in the form by then. */
  const reviewAndSend = (isPlain = false) =>
    act('review', async () => {
      await uploads.settled();
      // Whoever has left meanwhile does not want it any more.
      if (unsaved.isSettled()) return;
      await latestCheck.current(isPlain);
    });
  const isPlainReply =
    mode === 'reply' &&
    original != null &&
    addresses.length === 1 &&
    addresses[0] === original.fromAddress &&
    draft.attachments.length === 0 &&
    uploads.uploads.length === 0;
  useShortcuts([
    {
      keys: 'mod+Enter',
      label: isPlainReply ? 'Send the reply' : 'Review and send',
      run: () => void (busy === null && reviewAndSend(isPlainReply)),
    },
  ]);
  const confirm = async (said: ReviewWords, acceptsPatient: boolean) => {
    if (!draft.id || !review) return;
    setWords(said);
    setBusy('send');
    const conversation = said.trackFax ? { conversationId: newKey(), type: 'Order', conversationStatus: 'Draft' } : undefined;
    try {
      const confirmedFaxNumbers = review.newNumbers.length ? review.newNumbers : undefined;
      const body = {
        ...payload(said),
        draftVersion: draft.version,
        confirmedFaxNumbers,
        acceptsPatient,
        ...(conversation && { conversation }),
      };
      if (!said.referral) return sent(await sendMessage(actionOf(mode), draft.id, body, review.key));
      await draft.save(payload(said));
      await sendReferral(draft.id, said.referral.reason, said.referral.dueDate, acceptsPatient);
      sent();
    } catch (error) {
      await sendFailed(error, draft.id);
    } finally {
      setBusy(null);
    }
  };

  const { blocker } = unsaved;
  /** The documents that are answered stand beside the answer; where there is no room for both, one of them is shown. */
  const answers = original && original.attachments.length > 0 ? original : null;
  const name = values.subject.trim() || TITLES[mode];
  const source = sources.find((s) => s.fullAddress === values.from);
  const faxSources = sources.filter((s) => s.type === 'Fax');
  const faxesBeside = withFax && source?.type !== 'Fax';
  const choosesFax = faxesBeside && faxSources.length > 1;
  const faxFrom = faxesBeside ? values.faxFrom || faxSources[0]?.fullAddress : undefined;
  const shownAt = [savedAt, autosavedAt]
    .filter((at) => at !== null)
    .sort()
    .at(-1);
  const savedLine =
    isDirty && (autosave.state === 'retrying' || autosave.state === 'failed') ? (
      <span className="cp-plain t-danger rel-saved-at" role="status" data-loud>
        {autosave.state === 'failed' ? 'Not saved' : 'Not saved yet, trying again'}
      </span>
    ) : (
      shownAt &&
      !isDirty &&
      !isPhone && (
        <span className="cp-row cp-muted rel-saved-at" role="status">
          <IconCloudCheck size={16} stroke={1.6} aria-hidden />
          Draft saved at {formatTime(shownAt)}
        </span>
      )
    );
  const draftButtons = (
    <>
      <Button variant="subtle" disabled={busy !== null} onClick={askToDiscard}>
        Discard
      </Button>
      <Button variant="default" loading={busy === 'save'} disabled={busy !== null && busy !== 'save'} onClick={() => void saveByHand()}>
        Save
      </Button>
    </>
  );
  const faxChoices = withFax && <FaxChoices value={values.fax} onChange={(fax) => set({ fax })} />;
  return (
    <>
      <BackHead
        title={TITLES[mode]}
        back={{ label: 'Back', run: () => go(back) }}
        beside={savedLine}
        actions={
          <>
            {!isPhone && draftButtons}
            <Button
              leftSection={isPhone ? undefined : <IconSend2 size={16} stroke={1.8} />}
              loading={busy === 'review'}
              disabled={busy !== null && busy !== 'review'}
              aria-keyshortcuts="Control+Enter"
              title={isPlainReply ? undefined : 'Ctrl+Enter'}
              onClick={() => void reviewAndSend()}
            >
              Review and send
            </Button>
          </>
        }
      />
      {answers && isNarrow && (
        <div className="cp-bar">
          <SegmentedControl
            aria-label="What to look at"
            value={pane}
            onChange={(v) => setPane(v as typeof pane)}
            data={[
              { value: 'reply', label: 'Your reply' },
              { value: 'original', label: 'Their document' },
            ]}
          />
        </div>
      )}
      <div className="cp-panes rel-panes" data-pane={answers && isNarrow ? pane : undefined}>
        {answers && (!isNarrow || pane === 'original') && <Original message={answers} />}
        <div className="cp-pane cp-grow rel-main">
          <div className="rel-fields">
            <Presence present={present} />
            {draft.banner}
            {kept && onAnew && (
              <Notice kind="info">
                This is the release that was interrupted: its recipients, patient and files are still in it.{' '}
                <UnstyledButton
                  className="cp-link"
                  onClick={() => {
                    // What was saved stays among the drafts.
                    unsaved.settle();
                    onAnew();
                  }}
                >
                  Start a new one
                </UnstyledButton>
              </Notice>
            )}
            {lines.length > 0 && (
              <div id="release-errors" tabIndex={-1}>
                <NoticeList kind="error" title="Please fix the following errors before sending." messages={lines} />
              </div>
            )}
            <div className="rel-pair">
              <Select
                id={fieldId('releaseType')}
                size="md"
                label="Release type"
                required={mode !== 'reply'}
                searchable
                openOnFocus={false}
                clearable={mode === 'reply'}
                nothingFoundMessage="No match"
                data={releaseTypes
                  .filter((t) => !t.isRetired || t.id === values.releaseTypeId)
                  .map((t) => ({ value: t.id, label: t.name }))}
                value={values.releaseTypeId}
                onChange={chooseType}
                error={errorOf('releaseType')}
                description={values.classification ? classifications.data?.find((c) => c.code === values.classification)?.name : undefined}
                inputWrapperOrder={['label', 'input', 'description', 'error']}
              />
              <Select
                id={fieldId('from')}
                size="md"
                label="From"
                required
                disabled={locks.from}
                data={sources.map((s) => ({ value: s.fullAddress, label: formatAddress(s.fullAddress) }))}
                value={values.from || null}
                onChange={(v) => set({ from: v ?? '' })}
                leftSection={
                  source && (source.type === 'Fax' ? <FaxIcon size={16} stroke={1.6} /> : <IconShieldLock size={16} stroke={1.6} />)
                }
                leftSectionWidth={32}
                error={errorOf('from') ?? (sources.length === 0 ? NO_SOURCE : undefined)}
                description={locks.from ? FIXED : undefined}
                inputWrapperOrder={['label', 'input', 'description', 'error']}
              />
            </div>
            {choosesFax && (
              <Select
                id="release-fax-from"
                size="md"
                label="Fax number to send from"
                description="Recipients with a fax number get it from there"
                data={faxSources.map((s) => ({
                  value: s.fullAddress,
                  label: [formatAddress(s.fullAddress), s.displayName].filter(Boolean).join(', '),
                }))}
                value={values.faxFrom || null}
                onChange={(v) => set({ faxFrom: v ?? '' })}
                inputWrapperOrder={['label', 'input', 'description', 'error']}
              />
            )}
            <AddressFields
              values={values}
              onTo={enterTo}
              onCopies={set}
              invalid={invalid}
              error={errorOf('to')}
              locked={isToFixed}
              hint={isToFixed ? FIXED : hasOthers ? `“${type?.name}” added ${formatAddress(type?.destinationAddress ?? '')}.` : undefined}
              startsHere={mode === 'new' && !isPhone}
            />
            <TextInput
              size="md"
              label="Subject"
              autoComplete="off"
              value={values.subject}
              onChange={(e) => set({ subject: e.currentTarget.value })}
            />
            <MessageBody
              view={view}
              onView={setView}
              value={values.body}
              onChange={(body) => set({ body })}
              startsInText={mode === 'reply'}
              hint={
                isPlainReply
                  ? 'Ctrl+Enter sends the reply'
                  : withFax && values.fax.includeMessageBody
                    ? 'Message (also printed as a fax page)'
                    : 'Sent as the message body'
              }
              attachment={selected}
            />
            {isPhone && withFax && <div className="rel-fax">{faxChoices}</div>}
          </div>
        </div>
        <div className="cp-pane rel-side">
          <PatientPanel
            key={patient.source}
            value={values.patient}
            onChange={(p) => set({ patient: p })}
            errors={lacksPatient ? patientFieldErrors(values.patient, mode, now()) : patientFormErrors(values.patient, now())}
            required={isPatientRequired(mode)}
            showMore={PATIENT_MORE_FIELDS.some((f) => values.patient[f] !== '')}
          />
          <Attachments
            draft={draft}
            uploads={uploads}
            extensions={extensions}
            selected={selected}
            marksSelected={view === 'preview'}
            onSelect={setSelectedId}
            onPreview={(id) => {
              setSelectedId(id);
              setView('preview');
            }}
            ensureDraft={ensureDraft}
          />
          {draft.id && (
            <SignaturePane
              message={{
                id: draft.id,
                subject: values.subject,
                direction: 'Release',
                attachments: draft.attachments,
                patient: values.patient,
              }}
            />
          )}
        </div>
      </div>
      <div className="cp-foot rel-foot">
        <SendAs value={values.conversion} onChange={(conversion) => set({ conversion })} />
        <div className="cp-grow" />
        {isPhone ? draftButtons : faxChoices}
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
      {discardQuestion}
      {review && draft.id && (
        <ReviewDialog
          draftId={draft.id}
          values={values}
          mode={mode}
          attachments={draft.attachments}
          start={{ ...words, trackFax: words.trackFax || Boolean(type?.trackFaxResponses) }}
          faxFrom={faxFrom}
          canTrackFax={tracksFax && withFax}
          lacksForReferral={lacksForReferral(values, mode, draft.attachments)}
          newNumbers={review.newNumbers}
          differing={review.differing}
          busy={busy === 'send'}
          errors={review.errors}
          onClose={(said) => {
            setWords(said);
            setReview(null);
          }}
          onConfirm={(said, acceptsPatient) => void confirm(said, acceptsPatient)}
        />
      )}
      {blocker.status === 'blocked' && (
        <LeaveDialog
          subject={name}
          busy={busy === 'save' || busy === 'discard' ? busy : null}
          onStay={blocker.reset}
          onSave={() => {
            void act('save', save).then((done) => {
              if (!done) return blocker.reset();
              unsaved.settle();
              blocker.proceed();
            });
          }}
          onDiscard={() => void discard().then((done) => (done ? blocker.proceed() : blocker.reset()))}
        />
      )}
    </>
  );
}
