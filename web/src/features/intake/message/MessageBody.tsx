import type { Message } from '@/api/types';
import { SafeFrame } from '@/shared/frame/SafeFrame';

const CSS = `body { margin: 24px 28px; font: 14px/21px 'Segoe UI', system-ui, sans-serif; color: #16252c; background: #fff; overflow-wrap: anywhere; }`;

/** The text of a message, as sent. */
export function MessageBody({ message }: { message: Message }) {
  return (
    <div className="cp-viewer">
      {message.bodyHtml ? (
        <SafeFrame html={message.bodyHtml} title="Message" css={CSS} />
      ) : (
        <div className="cp-scroll cp-fullbody">{message.body}</div>
      )}
    </div>
  );
}
