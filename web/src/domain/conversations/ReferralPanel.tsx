import './conversations.css';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ConversationAction, Message } from '@/api/types';
import { formatAddress, formatDateTime } from '@/shared/format';
import { ErrorState, Notice } from '@/shared/ui/blocks';
import { Chip } from '@/shared/ui/status';
import { conversationQuery } from './api';
import { RespondDialog } from './RespondDialog';
import { ACTIONS, dueOf, stateOf, turnOf } from './words';

/** The type of conversations that are referrals. */
const REFERRAL = '360x';

/** The referral of a message: its progress, whose turn it is, and the possible actions. */
export function ReferralPanel({ message }: { message: Message }) {
  const of = message.conversation;
  if (of?.type !== REFERRAL || !of.conversationId) return null;
  return <Referral id={of.conversationId} />;
}

export function Referral({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(conversationQuery(id));
  const [action, choose] = useState<ConversationAction | null>(null);
  if (error) return <ErrorState title="The referral could not be loaded" error={error} onRetry={() => void refetch()} />;
  if (!data) return <div className="cp-bone" style={{ width: '60%' }} />;
  const due = dueOf(data);
  return (
    <section className="cp-sec" aria-labelledby={`referral-${id}`}>
      <div className="cp-sec-h">
        <h2 id={`referral-${id}`}>Referral</h2>
        <Chip state={data.conversationStatus}>{stateOf(data.conversationStatus)}</Chip>
      </div>
      <p className="cnv-reason">{data.reason}</p>
      <p className="cp-second">{[turnOf(data, formatAddress(data.otherAddress)), !data.isOverdue && due].filter(Boolean).join(' · ')}</p>
      {data.actions.length > 0 && (
        <div className="cp-row cnv-acts">
          {data.actions.map((a, i) => (
            <Button
              key={a}
              variant={i === 0 && data.isOwnTurn ? 'filled' : 'default'}
              color={i === 0 && data.isOwnTurn ? undefined : a === 'Decline' || a === 'Cancel' ? 'red' : undefined}
              onClick={() => choose(a)}
            >
              {ACTIONS[a].label}
            </Button>
          ))}
        </div>
      )}
      {data.isOverdue && <Notice kind="warning">{due}</Notice>}
      {data.isUndelivered && <Notice kind="error">The latest message of this referral could not be delivered.</Notice>}
      {data.appointmentDate && <p className="cp-second">Appointment on {formatDateTime(data.appointmentDate)}</p>}
      <ol className="cnv-steps">
        {data.steps.map((step) => (
          <li key={step.messageId}>
            <span className="cp-ink">{ACTIONS[step.action].told}</span>
            <span className="cp-muted cp-num">
              {step.isOwn ? 'you' : formatAddress(data.otherAddress)}, {formatDateTime(step.at)}
            </span>
            {step.note && <span className="cp-second">{step.note}</span>}
          </li>
        ))}
      </ol>
      {action && <RespondDialog conversation={data} action={action} onClose={() => choose(null)} />}
    </section>
  );
}
