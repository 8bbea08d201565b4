import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '@/api/client';
import { messageQuery } from '@/domain/messaging/api';
import { useRestore } from '@/domain/messaging/DeleteMessageDialog';
import { useAutosave } from '@/domain/messaging/useAutosave';
import { now } from '@/shared/clock';
import { reportError, reportFailure } from '@/shared/errors';
import { paths } from '@/shared/paths';
import { useGo } from '@/shared/ui/AppLink';
import { useDiscard } from '@/shared/ui/useDiscard';
import { offerUndo } from '@/shared/undo';
import { savedAtKey } from '../api';
import type { Kept } from './draftCache';
import { actionOf, type ComposeValues, inputOf, type Mode, nameOf } from './model';
import type { ReviewWords } from './ReviewDialog';
import { patientFormErrors, serverErrors } from './rules';
import type { DraftMessage } from './useDraftMessage';
import type { ReleaseErrors } from './useReleaseErrors';
import type { ReleaseForm } from './useReleaseForm';
import type { ReviewState } from './useReview';
import { useUnsaved } from './useUnsaved';
import type { Uploads } from './useUploads';

const NOT_DISCARDED = 'The message was not discarded successfully.';

type Options = {
  mode: Mode;
  /** The initial fields. */
  start: ComposeValues;
  /** The draft named in the URL. */
  draftId: string | null;
  keptName: string;
  onReload: (() => void) | undefined;
  back: string;
  form: ReleaseForm;
  draft: DraftMessage;
  uploads: Uploads;
  errors: ReleaseErrors;
  review: ReviewState;
};

type Busy = 'save' | 'review' | 'discard' | 'send';
export type Saving = ReturnType<typeof useSaving>;

/** Saves the draft on request and automatically, discards it, and asks before leaving it. */
export function useSaving(options: Options) {
  const { mode, start, draftId, keptName, form, draft, uploads, errors, review } = options;
  const { values } = form;
  const go = useGo();
  const client = useQueryClient();
  const [baseline, setBaseline] = useState(() => JSON.stringify(start));
  const [savedAt, setSavedAt] = useState(() => (draftId && client.getQueryData<string>(savedAtKey(draftId))) || null);
  const [busy, setBusy] = useState<Busy | null>(null);

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
      // Created only for a file that was never uploaded.
      const isEmpty =
        mode === 'new' && savedAt === null && draft.attachments.length === 0 && JSON.stringify(values) === JSON.stringify(start);
      if (isEmpty) void draft.discard().catch(() => {});
    },
  });

  const payload = (said: Omit<ReviewWords, 'referral'> = review.words, typed = values) =>
    inputOf(typed, {
      mode: actionOf(mode),
      comments: said.comments,
      reasonForDisclosure: said.reasonForDisclosure || undefined,
      releaseTypes: form.releaseTypes,
      attachments: draft.latestAttachments(),
    });
  const save = async () => {
    errors.setServerLines([]);
    const saved = await draft.save(() => payload());
    setBaseline(JSON.stringify(values));
    unsaved.saved();
    return saved;
  };
  const typedLast = useRef(values);
  useEffect(() => {
    typedLast.current = values;
  });
  const autosave = useDraftAutosave({
    values,
    isDirty,
    start,
    baseline,
    setBaseline,
    draft,
    payload: (typed) => payload(review.words, typed),
    isAllowed: busy === null && review.review === null && !draft.isStale && !unsaved.isSettled(),
    // The URL does not name the draft yet; its id is kept for a reload.
    onSaved: (still) => unsaved.saved(draftId === null ? still : undefined),
  });
  const tell = (error: unknown) => {
    if (error instanceof ApiError && !error.isRefused && !error.isRevoked)
      errors.setServerLines(serverErrors(error.modelState, error.message));
    else reportError(error);
  };
  /** Runs an act that blocks the buttons; answers false on failure, after an error message. */
  const act = async (name: Busy, run: () => Promise<unknown>) => {
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
  const loadTheirs = async () => {
    if (!draft.id) return;
    try {
      await client.fetchQuery({ ...messageQuery(draft.id), staleTime: 0 });
    } catch (error) {
      return reportError(error);
    }
    unsaved.settle();
    if (options.onReload) options.onReload();
    else go(paths.releaseDraft(draft.id), { replace: true });
  };
  const saveByHand = () =>
    act('save', async () => {
      const { id } = await save();
      const at = now().toISOString();
      setSavedAt(at);
      client.setQueryData(savedAtKey(id), at);
      // The address names the draft from now on, so that a reload opens it. It starts over with the saved values, which later
      // input is not part of.
      if (draftId !== null || uploads.isBusy || typedLast.current !== values) return;
      unsaved.settle();
      go(paths.releaseDraft(id), { replace: true });
    });
  const ensureDraft = async () => {
    let id = draft.id;
    if (!id) await act('save', async () => (id = (await save()).id));
    return id;
  };
  const discarding = useDiscarding({ subject: nameOf(values, mode), back: options.back, draft, setBusy, settle: unsaved.settle });
  return {
    busy,
    setBusy,
    act,
    payload,
    save,
    saveByHand,
    ensureDraft,
    loadTheirs,
    ...discarding,
    unsaved,
    isDirty,
    autosaveState: autosave.state,
    /** The time of the last save, manual or automatic. */
    savedAt: [savedAt, autosave.savedAt]
      .filter((at) => at !== null)
      .sort()
      .at(-1),
  };
}

type AutosaveOptions = {
  values: ComposeValues;
  isDirty: boolean;
  start: ComposeValues;
  /** The last saved values, as text. */
  baseline: string;
  setBaseline: (text: string) => void;
  draft: DraftMessage;
  payload: (typed: ComposeValues) => ReturnType<typeof inputOf>;
  /** No other action is running. */
  isAllowed: boolean;
  onSaved: (still: Kept) => void;
};

/** Saves input after a pause. */
function useDraftAutosave({ values, isDirty, start, baseline, setBaseline, draft, payload, isAllowed, onSaved }: AutosaveOptions) {
  const [savedAt, setSavedAt] = useState<string | null>(null);
  const isWellFormed = Object.keys(patientFormErrors(values.patient, now())).length === 0;
  // The last rendered values to save; `done` is ahead of them.
  const unsavedText = useRef({ values, baseline, done: '' });
  useEffect(() => {
    unsavedText.current = { ...unsavedText.current, values: isAllowed && isWellFormed ? values : start, baseline };
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
        const saved = await draft.save(() => payload(typed), true);
        unsavedText.current.done = text;
        setBaseline(text);
        setSavedAt(now().toISOString());
        onSaved({ values: typed, draftId: saved.id, draftVersion: saved.draftVersion });
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
    if (isDirty && isAllowed) later.current();
  }, [values, isDirty, isAllowed]);
  return { flush: autosave.flush, state: autosave.state, savedAt };
}

type DiscardOptions = {
  subject: string;
  back: string;
  draft: DraftMessage;
  setBusy: (busy: Busy | null) => void;
  /** Leaving needs no question any more. */
  settle: () => void;
};

/** Discards the draft, after its own question or as the answer on leaving. */
function useDiscarding({ subject, back, draft, setBusy, settle }: DiscardOptions) {
  const go = useGo();
  const [ask, discardQuestion] = useDiscard();
  const restore = useRestore();
  const remove = async () => {
    setBusy('discard');
    try {
      const gone = await draft.discard();
      if (gone) offerUndo('The draft was deleted successfully.', () => restore([gone]).then(() => go(paths.releaseDraft(gone))));
      settle();
    } finally {
      setBusy(null);
    }
  };
  const askToDiscard = () =>
    ask({
      what: 'this release',
      subject,
      lost: 'The text and its attachments are removed.',
      run: async () => {
        await remove();
        go(back);
      },
      failed: NOT_DISCARDED,
    });
  /** Without a question, which was already asked; answers whether it was deleted. */
  const discard = async () => {
    try {
      await remove();
      return true;
    } catch (error) {
      reportFailure(error, NOT_DISCARDED);
      return false;
    }
  };
  return { askToDiscard, discard, discardQuestion };
}
