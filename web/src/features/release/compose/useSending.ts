import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { ApiError } from '@/api/client';
import { refresh } from '@/api/query';
import type { Message } from '@/api/types';
import { useProfile } from '@/app/session';
import { askForUpgrade, isPlanRestricted } from '@/app/upgrade';
import { differingDocuments } from '@/domain/messaging/api';
import { notify } from '@/shared/notify';
import { paths } from '@/shared/paths';
import { useGo } from '@/shared/ui/AppLink';
import { usePreference } from '@/shared/usePreference';
import { addressChecksQuery, refetchRelease, sendMessage, sendReferral } from '../api';
import { tellSent } from '../sent';
import { faxesInstead } from './faxesInstead';
import { actionOf, LAST_FROM, LAST_TYPE, type Mode, newKey } from './model';
import type { ReviewWords } from './ReviewDialog';
import { needsUpgrade, serverErrors } from './rules';
import type { DraftMessage } from './useDraftMessage';
import { focusError, type ReleaseErrors } from './useReleaseErrors';
import type { ReleaseForm } from './useReleaseForm';
import type { ReviewState } from './useReview';
import type { Saving } from './useSaving';
import type { Uploads } from './useUploads';

const SEND_FAILED = 'There was an error sending your message. Please contact support.';
const LOOKUP_FAILED = 'Forwarding address lookup failed. Falling back to fax number.';

type Options = {
  mode: Mode;
  back: string;
  form: ReleaseForm;
  draft: DraftMessage;
  uploads: Uploads;
  errors: ReleaseErrors;
  review: ReviewState;
  saving: Saving;
  /** Errors were found and are shown in the fields. */
  onErrors: () => void;
};

/** Whether the message was sent; false if the server cannot be asked. */
const isSent = (id: string) =>
  refetchRelease(id).then(
    (message) => !message.isDraft,
    () => false,
  );

/** Steps from “Review and send” over the review to the sent message, or to its errors. */
export function useSending({
  mode,
  back,
  form,
  draft,
  uploads,
  errors,
  review: { review, setReview, setWords },
  saving,
  onErrors,
}: Options) {
  const { values, type } = form;
  const { unsaved, payload } = saving;
  const go = useGo();
  const client = useQueryClient();
  const profile = useProfile();
  const [, rememberFrom] = usePreference(LAST_FROM, '');
  const [, rememberType] = usePreference(LAST_TYPE, '');

  const sent = (answer?: { id: string; heldUntil?: string | null }) => {
    void refresh(client, '/api/directory/validate');
    rememberFrom(values.from);
    // A quick release fixes both ends: it is chosen each time.
    if (type && !form.locks.to) rememberType(type.id);
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
    errors.setServerLines(serverErrors(error.modelState, error.message));
  };
  const sendNow = async ({ id, draftVersion: version }: Message) => {
    const key = newKey();
    try {
      await draft.settled();
      sent(await sendMessage(actionOf(mode), id, { ...payload(), draftVersion: version }, key));
    } catch (error) {
      // The review shows the error, and retries with the same key.
      setReview({ key, errors: [], newNumbers: [], differing: [] });
      await sendFailed(error, id);
    }
  };
  const checkAndReview = async (isPlain: boolean) => {
    errors.setServerLines([]);
    // The server's check of new addresses; without it the rules here decide.
    const answer = errors.checkable.length ? await client.ensureQueryData(addressChecksQuery(errors.checkable)).catch(() => []) : [];
    const found = errors.look(answer);
    if (found.length) onErrors();
    focusError(found);
    if (found.length) return;
    const faxes = mode === 'forward' ? await faxesInstead(values) : null;
    if (faxes) {
      // They must be visible before the review.
      form.set(faxes);
      return notify('warning', LOOKUP_FAILED);
    }
    if (isPlanRestricted(profile, 'send') && needsUpgrade(form.addresses, profile.testMarker ?? '')) return askForUpgrade();
    const saved = await saving.save();
    const newNumbers = answer.filter((c) => c.isNew).map((c) => c.address);
    // A reply to the sender alone needs no review.
    // The server checks it again if the check here failed.
    const differing = await differingDocuments(saved.id).catch(() => []);
    if (isPlain && newNumbers.length === 0 && differing.length === 0) await sendNow(saved);
    else setReview({ key: newKey(), errors: [], newNumbers, differing });
  };
  const latestCheck = useRef(checkAndReview);
  useEffect(() => {
    latestCheck.current = checkAndReview;
  });
  /** Waits for uploads, then continues with the current form. */
  const reviewAndSend = (isPlain = false) =>
    saving.act('review', async () => {
      await uploads.settled();
      // Leaving the screen meanwhile cancels it.
      if (unsaved.isSettled()) return;
      await latestCheck.current(isPlain);
    });
  const confirm = async (said: ReviewWords, acceptsPatient: boolean) => {
    if (!draft.id || !review) return;
    setWords(said);
    saving.setBusy('send');
    const conversation = said.trackFax ? { conversationId: newKey(), type: 'Order', conversationStatus: 'Draft' } : undefined;
    try {
      await draft.settled();
      const confirmedFaxNumbers = review.newNumbers.length ? review.newNumbers : undefined;
      const body = {
        ...payload(said),
        draftVersion: draft.version,
        confirmedFaxNumbers,
        acceptsPatient,
        ...(conversation && { conversation }),
      };
      if (!said.referral) return sent(await sendMessage(actionOf(mode), draft.id, body, review.key));
      await draft.save(() => payload(said));
      await sendReferral(draft.id, said.referral.reason, said.referral.dueDate, acceptsPatient);
      sent();
    } catch (error) {
      await sendFailed(error, draft.id);
    } finally {
      saving.setBusy(null);
    }
  };
  return { reviewAndSend, confirm };
}
