import { UnstyledButton } from '@mantine/core';
import type { EhrConnection } from '@/api/types';
import { formatDateTime, formatSince, formatTime, plural } from '@/shared/format';
import { doneWith, waitingText } from './words';

type Props = { connection: EhrConnection; isTesting: boolean; onTest?: () => void };

const failedText = ({ failed, integrationType }: EhrConnection) =>
  failed > 0 ? `${plural(failed, 'document')} could not be ${doneWith(integrationType)}.` : '';

/** Why a connection fails, what waits for it and what happens next. */
function Trouble({ connection, isTesting, onTest }: Props) {
  const { problem, remedy, failingSince, nextTryAt } = connection;
  return (
    <div className="int-more">
      <p className="int-problem">
        {problem || 'The connection fails.'} {failingSince && `Failing ${formatSince(failingSince)}.`}{' '}
        {onTest && (
          <UnstyledButton className="cp-link" disabled={isTesting} onClick={onTest}>
            {isTesting ? 'Testing …' : 'Test again'}
          </UnstyledButton>
        )}
      </p>
      <p className="cp-second">
        {[remedy, waitingText(connection), failedText(connection), nextTryAt && `Next try at ${formatTime(nextTryAt)}.`]
          .filter(Boolean)
          .join(' ')}
      </p>
    </div>
  );
}

/** More about a connection: its trouble, or its address and last answer. */
export function More(props: Props) {
  const { connection } = props;
  if (connection.state === 'Failing') return <Trouble {...props} />;
  const { answeredAt, answerMilliseconds, software, baseUrl } = connection;
  const took = typeof answerMilliseconds === 'number' ? ` after ${answerMilliseconds} ms` : '';
  return (
    <div className="int-more">
      {baseUrl && <p className="cp-mono">{baseUrl}</p>}
      <p className="cp-second">
        {[
          software && `${software}.`,
          answeredAt ? `Last answer ${formatDateTime(answeredAt)}${took}.` : 'It has not answered yet.',
          waitingText(connection),
          failedText(connection),
        ]
          .filter(Boolean)
          .join(' ')}
      </p>
    </div>
  );
}
