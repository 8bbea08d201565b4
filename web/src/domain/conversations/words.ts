import type { ConversationAction, TrackedConversation } from '@/api/types';
import { showDate } from '@/shared/rules/dates';

/** Each step's label, its name for the other side, and the new status of the referral, if it changes. */
export const ACTIONS: Record<ConversationAction, { label: string; told: string; becomes?: TrackedConversation['conversationStatus'] }> = {
  Request: { label: 'Request', told: 'Referral requested' },
  Accept: { label: 'Accept', told: 'Accepted', becomes: 'Accepted' },
  Decline: { label: 'Decline', told: 'Declined', becomes: 'Declined' },
  Cancel: { label: 'Cancel referral', told: 'Cancelled', becomes: 'Cancelled' },
  Interim: { label: 'Interim note', told: 'Interim note' },
  Outcome: { label: 'Send outcome', told: 'Outcome', becomes: 'Completed' },
  Appointment: { label: 'Appointment', told: 'Appointment', becomes: 'Scheduled' },
  NoShow: { label: 'No-show', told: 'Patient did not attend', becomes: 'NoShow' },
};

const OTHER = 'the other side';

/** `Waiting for you`, `Waiting for cardio@…`; empty once it is closed. */
export function turnOf(of: Pick<TrackedConversation, 'turn' | 'isOwnTurn'>, other = OTHER): string {
  if (!of.turn) return '';
  return of.isOwnTurn ? 'Waiting for you' : `Waiting for ${other}`;
}

/** `Due 12/01/2026`, marked when overdue. */
export function dueOf({
  dueDate,
  isOverdue,
  conversationStatus,
}: Pick<TrackedConversation, 'dueDate' | 'isOverdue' | 'conversationStatus'>): string {
  if (isOverdue && conversationStatus === 'Requested') return 'Overdue: not answered';
  if (isOverdue) return `Overdue since ${showDate(dueDate)}`;
  return dueDate ? `Due ${showDate(dueDate)}` : '';
}

/** The toasts after the other side was notified, or could not be. */
export function outcomeOf(action: ConversationAction): { done: string; failed: string } {
  const { becomes } = ACTIONS[action];
  if (!becomes) return { done: `${ACTIONS[action].told} sent.`, failed: 'The other party could not be notified. Please try again.' };
  const status = stateOf(becomes);
  return {
    done: `The message has been successfully ${status.toLowerCase()}.`,
    failed: `Unable to change status to ${status}.`,
  };
}

export const stateOf = (state: TrackedConversation['conversationStatus']) => (state === 'NoShow' ? 'No-show' : state);
