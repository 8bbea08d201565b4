import { Button } from '@mantine/core';
import { IconBolt, IconCheck, IconDots, IconQuestionMark, IconShieldLock, IconX } from '@tabler/icons-react';
import type { Delivery, FaxDelivery, Message } from '@/api/types';
import { formatAddress } from '@/shared/format';
import { paths } from '@/shared/paths';
import { AppLink } from '@/shared/ui/AppLink';
import { Notice } from '@/shared/ui/blocks';
import { FaxIcon } from '@/shared/ui/icons';
import { stateOf } from '@/shared/ui/states';
import { Chip } from '@/shared/ui/status';
import { type UndeliveredAct, useUndelivered } from '../failed/acts';
import { FaxCalls } from './FaxCalls';
import { countStates, recipientState, type Step, stepsOf } from './timeline';

const icons = { done: IconCheck, now: IconDots, bad: IconX, unsure: IconQuestionMark } as const;
const looks = { done: 'done', now: 'in progress', bad: 'failed', unsure: 'uncertain' } as const;

function Steps({ steps, name }: { steps: Step[]; name: string }) {
  return (
    <ol className="cp-steps rel-steps" data-four aria-label={`Delivery to ${name}`}>
      {steps.map((step) => {
        const IconOf = step.look && icons[step.look];
        return (
          <li key={step.title} className="cp-step" {...(step.look ? { [`data-${step.look}`]: true } : {})}>
            <span className="ic">{IconOf && <IconOf size={11} stroke={3} aria-hidden />}</span>
            <b>{step.title}</b>
            <span className="cp-hidden">{step.look ? looks[step.look] : 'not yet'}</span>
            <span className="cp-num">{step.note}</span>
          </li>
        );
      })}
    </ol>
  );
}

const UNCERTAIN =
  'The connection ended before the other side confirmed. The message may have arrived. Ask the recipient before you send it again. It is not sent again automatically.';

const FAX_UNCERTAIN = 'Ask the recipient before you send it again. It is not sent again automatically.';

const FaxOf = ({ messageId, fax }: { messageId: string; fax: FaxDelivery | undefined }) =>
  fax ? <FaxCalls messageId={messageId} fax={fax} /> : null;

/** Transport to the other mail server; the message itself is always encrypted. */
const TRANSPORT: Record<NonNullable<Delivery['tls']>, string> = {
  Plain: 'Sent over an unencrypted connection. The message itself is encrypted.',
  Encrypted: 'Sent over TLS (server certificate not verified).',
  Verified: 'Sent over TLS to a mail server with a trusted certificate.',
  Dane: 'Sent over TLS to a mail server verified by DANE (signed DNS).',
};

/** Actions for an undelivered message. */
const WayOut = ({ acts }: { acts: UndeliveredAct[] }) =>
  acts.length > 0 && (
    <div className="cp-row rel-wayout">
      {acts.map(({ key, label, icon: IconOf, run, busy }) => (
        <Button key={key} variant="default" leftSection={<IconOf size={16} stroke={1.6} />} loading={busy} onClick={run}>
          {label}
        </Button>
      ))}
    </div>
  );

/** One timeline per recipient, as the other side reports it. */
export function Deliveries({ message, faxes }: { message: Message; faxes: FaxDelivery[] }) {
  const deliveries = message.deliveries ?? [];
  const faxOf = (d: Delivery) => faxes.find((f) => f.deliveryId === d.id);
  const { acts, question } = useUndelivered();
  const actsOf = (d: Delivery) =>
    !d.correctedBy && (d.state === 'Failed' || d.state === 'Uncertain')
      ? acts({
          ...d,
          messageId: message.id,
          subject: message.subject ?? '',
          fromAddress: message.fromAddress ?? '',
          // A fax is sent again with its calls, below.
          canSendNow: d.kind === 'DirectMessage',
        }).filter((act) => act.key !== 'seen')
      : [];
  return (
    <section aria-labelledby="release-delivery">
      <div className="cp-row rel-delivery-head">
        <h2 id="release-delivery">Delivery</h2>
        {countStates(deliveries).map(({ state, count }) => {
          const { tone, icon: IconOf } = stateOf(state);
          return (
            <span key={state} className={`cp-plain t-${tone}`} data-loud>
              <IconOf size={15} stroke={1.9} aria-hidden />
              {count} {state.toLowerCase()}
            </span>
          );
        })}
        <div className="cp-grow" />
        <span className="cp-muted cp-row rel-sub">
          <IconBolt size={14} stroke={1.6} aria-hidden />
          Live
        </span>
      </div>
      {deliveries.map((d) => (
        <div key={d.id} className="rel-recipient">
          <div className="cp-row rel-recipient-head">
            <span className="rel-kind">
              {d.kind === 'Fax' ? <FaxIcon size={18} stroke={1.6} aria-hidden /> : <IconShieldLock size={18} stroke={1.6} aria-hidden />}
              <span className="cp-hidden">{d.kind === 'Fax' ? 'Fax' : 'Direct message'}</span>
            </span>
            <b className="cp-strong cp-ell">{d.name || formatAddress(d.address)}</b>
            {d.name && <span className="cp-muted cp-ell rel-at">{formatAddress(d.address)}</span>}
            {d.role !== 'To' && <span className="cp-muted rel-role">{d.role === 'Cc' ? 'Cc' : 'Bcc'}</span>}
            <div className="cp-grow" />
            <Chip state={recipientState(d)} />
          </div>
          <div className="rel-recipient-body">
            <Steps steps={stepsOf(d)} name={d.name || d.address} />
            {d.tls && <p className="cp-muted">{TRANSPORT[d.tls]}</p>}
            {d.correctedBy && (
              <Notice kind="info">
                It was sent to another recipient instead. <AppLink href={paths.releaseMessage(d.correctedBy)}>Open that message</AppLink>
              </Notice>
            )}
            {d.state === 'Failed' && !d.correctedBy && (
              <Notice kind="error">
                <b className="cp-strong">{d.explanation}</b>
                <span className="cp-block cp-second">{d.reason || 'The other side refused the message without giving a reason.'}</span>
              </Notice>
            )}
            {d.state === 'Uncertain' && (
              <Notice kind="warning">{[d.reason, d.kind === 'Fax' ? FAX_UNCERTAIN : UNCERTAIN].filter(Boolean).join(' ')}</Notice>
            )}
            <WayOut acts={actsOf(d)} />
            <FaxOf messageId={message.id} fax={faxOf(d)} />
          </div>
        </div>
      ))}
      {question}
    </section>
  );
}
