import { Button, Progress, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { IconPhoneOff, IconPhoneOutgoing, IconRefresh } from '@tabler/icons-react';
import type { FaxAttempt, FaxDelivery } from '@/api/types';
import { formatCount, formatDateTime, plural } from '@/shared/format';
import { notify } from '@/shared/notify';
import { paths } from '@/shared/paths';
import { AppLink } from '@/shared/ui/AppLink';
import { Notice } from '@/shared/ui/blocks';
import { ConfirmDialog } from '@/shared/ui/Dialog';
import { cancelFax, sendFaxAgain } from '../api';

/** The state or outcome of a call, with the provider's own words in a tooltip. */
function Outcome({ call }: { call: FaxAttempt }) {
  if (!call.endedAt) return <>{call.page ? `Page ${call.page} of ${call.pages}` : 'In progress'}</>;
  return (
    <>
      {call.explanation}
      {call.words && <span className="cp-muted"> {call.words}</span>}
    </>
  );
}

function Calls({ calls }: { calls: FaxAttempt[] }) {
  const log = calls.filter((c) => c.log);
  return (
    <>
      <div className="rel-fax-table" tabIndex={0} role="region" aria-label="Calls">
        <table className="cp-table cp-mini cp-flat" aria-label="Calls">
          <thead>
            <tr>
              <th>Call</th>
              <th>Time</th>
              <th>From</th>
              <th>Line</th>
              <th>Pages confirmed</th>
              <th>Rate</th>
              <th>Outcome</th>
            </tr>
          </thead>
          <tbody className="cp-num">
            {calls.map((c) => (
              <tr key={c.id}>
                <td>{c.number}</td>
                <td>{formatDateTime(c.startedAt)}</td>
                <td>{c.fromNumber}</td>
                <td>{c.line || c.provider}</td>
                <td>
                  {c.confirmedPages} of {c.pages}
                </td>
                <td>{c.rate ? `${formatCount(c.rate)} bit/s` : ''}</td>
                <td className="cp-wrap">
                  <Outcome call={c} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {log.map((c) => (
        <details key={c.id} className="rel-fax-log">
          <summary>Log of call {c.number}</summary>
          <pre tabIndex={0} className="cp-mono">
            {c.log}
          </pre>
        </details>
      ))}
    </>
  );
}

/** The question before a fax is cancelled. */
const questionOf = (fax: FaxDelivery) =>
  fax.confirmedPages > 0
    ? `The recipient has ${fax.confirmedPages} of ${plural(fax.pages, 'page')} already. The remaining pages are not sent.`
    : 'If the fax is being transmitted, it may be cut off.';

/** Cancels a fax that waits, dials or sends. */
function CancelFax({ messageId, fax }: { messageId: string; fax: FaxDelivery }) {
  const [asking, ask] = useDisclosure();
  const cancel = useMutation({
    mutationFn: () => cancelFax(messageId, fax.deliveryId),
    onSuccess: () => notify('success', 'The fax is being cancelled.'),
    onSettled: ask.close,
  });
  return (
    <>
      <Button variant="default" leftSection={<IconPhoneOff size={16} stroke={1.6} />} onClick={ask.open}>
        Cancel fax
      </Button>
      <ConfirmDialog
        opened={asking}
        onClose={ask.close}
        onConfirm={() => cancel.mutate()}
        busy={cancel.isPending}
        title="Cancel the fax?"
        subject={fax.toNumber}
        question={questionOf(fax)}
        confirmLabel="Cancel fax"
        cancelLabel="Keep sending"
        danger
      />
    </>
  );
}

/** The fax to one recipient: its state, each call, cancelling and sending again. */
export function FaxCalls({ messageId, fax }: { messageId: string; fax: FaxDelivery }) {
  const [shown, { toggle }] = useDisclosure();
  const [asking, ask] = useDisclosure();
  const again = useMutation({
    mutationFn: () => sendFaxAgain(messageId, fax.deliveryId),
    onSuccess: () => {
      ask.close();
      notify('success', 'The fax is being sent again.');
    },
    onError: ask.close,
  });
  const call = fax.attempts.find((c) => !c.endedAt);
  const isOver = fax.canSendAgain || fax.now === 'Delivered';
  return (
    <div className="rel-fax-calls">
      {!isOver && (
        <p role="status" className="cp-row">
          <IconPhoneOutgoing size={16} stroke={1.6} aria-hidden />
          <span>{fax.now}</span>
          {fax.nextAt && <span className="cp-muted cp-num">· next call {formatDateTime(fax.nextAt)}</span>}
        </p>
      )}
      {fax.cancelProblem && <Notice kind="warning">{fax.cancelProblem}</Notice>}
      {call?.page && call.pages > 0 && <Progress value={(100 * (call.page - 1)) / call.pages} aria-label="Pages sent" />}
      <div className="cp-row">
        {fax.pages > 0 && (
          <span className="cp-muted cp-num">
            {fax.confirmedPages} of {plural(fax.pages, 'page')} confirmed
          </span>
        )}
        {fax.attempts.length > 0 && (
          <UnstyledButton className="cp-link" aria-expanded={shown} onClick={toggle}>
            {shown ? 'Hide calls' : `Show ${plural(fax.attempts.length, 'call')}`}
          </UnstyledButton>
        )}
        <div className="cp-grow" />
        {fax.answerId && <AppLink href={paths.intakeMessage(fax.answerId)}>Response received</AppLink>}
        {fax.canCancel && <CancelFax messageId={messageId} fax={fax} />}
        {fax.canSendAgain && (
          <Button variant="default" leftSection={<IconRefresh size={16} stroke={1.6} />} onClick={ask.open}>
            Send again
          </Button>
        )}
      </div>
      {shown && <Calls calls={fax.attempts} />}
      <ConfirmDialog
        opened={asking}
        onClose={ask.close}
        onConfirm={() => again.mutate()}
        busy={again.isPending}
        title="Send the fax again?"
        subject={fax.toNumber}
        question="If it already arrived, the recipient gets it twice."
        confirmLabel="Send again"
      />
    </div>
  );
}
