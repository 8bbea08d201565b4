import { notifications } from '@mantine/notifications';
import { IconAlertTriangle, IconCircleCheck, IconInfoCircle } from '@tabler/icons-react';

export type NoticeKind = 'success' | 'info' | 'warning' | 'error';

const looks = {
  success: { tone: 't-success', Icon: IconCircleCheck },
  info: { tone: 't-info', Icon: IconInfoCircle },
  warning: { tone: 't-warn', Icon: IconAlertTriangle },
  error: { tone: 't-danger', Icon: IconAlertTriangle },
} as const;

type Options = {
  action?: { label: string; run: () => void /** The single key that does it too. */; key?: string };
  /** In ms; 5 s by default. */
  closeAfter?: number;
};

/** One toast at a time, at the top: a new one replaces the one in view; it closes on click and after 5 s. */
export function notify(kind: NoticeKind, message: string, { action, closeAfter }: Options = {}) {
  notifications.clean();
  const { tone, Icon } = looks[kind];
  const id: string = notifications.show({
    message: (
      <span className="cp-row">
        <span className="cp-grow">{message}</span>
        {action && (
          <button
            type="button"
            className="cp-toast-action"
            onClick={(e) => {
              e.stopPropagation();
              notifications.hide(id);
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
    ),
    icon: <Icon size={18} stroke={1.8} />,
    className: `cp-toastbox ${tone}`,
    autoClose: closeAfter,
    role: kind === 'error' ? 'alert' : 'status',
    closeButtonProps: { 'aria-label': 'Close notification' },
    onClick: () => notifications.hide(id),
  });
}
