import { notifications } from '@mantine/notifications';
import { IconAlertTriangle, IconCircleCheck, IconInfoCircle } from '@tabler/icons-react';
import { now } from './clock';

export type NoticeKind = 'success' | 'info' | 'warning' | 'error';

const looks = {
  success: { tone: 't-success', Icon: IconCircleCheck },
  info: { tone: 't-info', Icon: IconInfoCircle },
  warning: { tone: 't-warn', Icon: IconAlertTriangle },
  error: { tone: 't-danger', Icon: IconAlertTriangle },
} as const;

const CLOSE_AFTER_MS = 5000;

type Action = { label: string; run: () => void /** Its single-key shortcut. */; key?: string };
type Options = {
  action?: Action;
  /** In ms; 5 s by default. */
  closeAfter?: number;
};
/** An action that a notice offers, and until when (in ms since 1970). */
type Offer = { message: string; action: Action; until: number };
let offer: Offer | null = null;

/** The action of the last notice is no longer offered, such as an undo that was done by its key. */
export const endOffer = () => {
  offer = null;
};

/** The event that reports each notice to browser automation too; a toast may be gone before it is looked for. */
export const TOLD = 'carepost:told';

/**
 * One toast at a time, at the top: a new one replaces the one in view; it closes on click and after 5 s. An action of the
 * previous one, such as Undo, is kept until its time is over.
 */
export function notify(kind: NoticeKind, message: string, { action, closeAfter = CLOSE_AFTER_MS }: Options = {}) {
  const time = now().getTime();
  const kept = !action && offer && offer.until > time ? offer : null;
  offer = action ? { message, action, until: time + closeAfter } : kept;
  notifications.clean();
  const { tone, Icon } = looks[kind];
  const close = () => {
    endOffer();
    notifications.hide(id);
  };
  const id: string = notifications.show({
    message: (
      <>
        <Line text={message} action={action} onAct={close} />
        {kept && <Line text={kept.message} action={kept.action} onAct={close} />}
      </>
    ),
    icon: <Icon size={18} stroke={1.8} />,
    className: `cp-toastbox ${tone}`,
    autoClose: kept ? Math.max(closeAfter, kept.until - time) : closeAfter,
    role: kind === 'error' ? 'alert' : 'status',
    closeButtonProps: { 'aria-label': 'Close notification' },
    onClick: close,
  });
  dispatchEvent(new CustomEvent(TOLD, { detail: { kind, message } }));
}

/** The text of a notice, with its action. */
function Line({ text, action, onAct }: { text: string; action?: Action; onAct: () => void }) {
  return (
    <span className="cp-row">
      <span className="cp-grow">{text}</span>
      {action && (
        <button
          type="button"
          className="cp-toast-action"
          onClick={(e) => {
            e.stopPropagation();
            onAct();
            action.run();
          }}
        >
          {action.label}
          {action.key && (
            <kbd className="cp-kbd" aria-hidden>
              {action.key}
            </kbd>
          )}
        </button>
      )}
    </span>
  );
}
