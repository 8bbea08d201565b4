import { ActionIcon, Button, Menu, Tooltip, UnstyledButton } from '@mantine/core';
import {
  IconArrowBackUp,
  IconArrowLeft,
  IconCheck,
  IconChevronDown,
  IconChevronUp,
  IconClock,
  IconCornerUpLeft,
  IconCornerUpRight,
  IconDots,
  IconDownload,
  IconFile,
  IconFileExport,
  IconFileTypePdf,
  IconPrinter,
  IconSend2,
  IconTrash,
} from '@tabler/icons-react';
import type { Message } from '@/api/types';
import { useViewport } from '@/shared/useViewport';
import { Presence, type Present } from '@/domain/messaging/presence';
import { formatAddress, formatCount, formatRecent, formatWhen } from '@/shared/format';
import { Chip, Source } from '@/shared/ui/status';
import { Snoozed } from '../parts';

export type MessageActions = {
  back: () => void;
  previous?: () => void;
  next?: () => void;
  reply: () => void;
  forward: () => void;
  /** Absent without a file in view. */
  exportOriginal?: () => void;
  exportPdf?: () => void;
  print?: () => void;
  /** The whole message, in the background. */
  exportMessage: () => void;
  printMessage: () => void;
  remove: () => void;
  /** Files it, into the chart if one is connected, and opens the next one. */
  process: () => void;
  /** Only processes it, although a chart is connected. */
  withoutChart?: () => void;
  /** Whether a chart is connected could not be loaded, so only `withoutChart` files. */
  isPlainOnly?: boolean;
  /** Sends documents to systems without charts. */
  sends: { id: string; label: string; run: () => void }[];
  isSending: boolean;
  snooze: () => void;
  reopen: () => void;
  busy: boolean;
};

type Props = {
  message: Message;
  present: Present[];
  /** Other people who work on it. */
  holder: { name: string } | null;
  onTakeOver: () => void;
  place: { position: number; total: number; capped: boolean } | null;
  actions: MessageActions;
};

type Held = Pick<Props, 'message' | 'present' | 'holder' | 'onTakeOver'>;

function SourceLine({ message, present, holder, onTakeOver, phone }: Held & { phone?: boolean }) {
  return (
    <div className="cp-row cp-muted cp-sourceline">
      <Source kind={message.sourceType ?? 'DirectMessage'} pages={message.properties?.faxPageCount} />
      <span className="cp-ell">
        <span className="cp-second">{message.fromName || formatAddress(message.fromAddress ?? '')}</span> ·{' '}
        {phone ? formatRecent(message.createdDate) : formatWhen(message.createdDate)}
      </span>
      <Presence present={present} phone={phone} />
      {holder && (
        <UnstyledButton className="cp-link int-take-over" aria-label={`Take over from ${holder.name}`} onClick={onTakeOver}>
          Take over
        </UnstyledButton>
      )}
    </div>
  );
}

function ExportItems({ actions }: { actions: MessageActions }) {
  return (
    <>
      {actions.exportOriginal && (
        <Menu.Item leftSection={<IconFile size={16} stroke={1.6} />} onClick={actions.exportOriginal}>
          Original file
        </Menu.Item>
      )}
      {actions.exportPdf && (
        <Menu.Item leftSection={<IconFileTypePdf size={16} stroke={1.6} />} onClick={actions.exportPdf}>
          PDF
        </Menu.Item>
      )}
      <Menu.Item leftSection={<IconFileExport size={16} stroke={1.6} />} onClick={actions.exportMessage}>
        Whole message
      </Menu.Item>
      <Menu.Item leftSection={<IconPrinter size={16} stroke={1.6} />} onClick={actions.printMessage}>
        Print whole message
      </Menu.Item>
    </>
  );
}

/** The head of a message: subject, other viewers, and all actions. */
export function MessageHeader({ message, present, holder, onTakeOver, place, actions }: Props) {
  const processed = message.isProcessed || message.status === 'Processed';
  return (
    <div className="cp-head cp-msghead" data-crowded={present.length > 1 || undefined}>
      <Tooltip label="Back to Intake  Esc">
        <ActionIcon aria-label="Back to Intake" size={36} onClick={actions.back}>
          <IconArrowLeft size={19} stroke={1.6} />
        </ActionIcon>
      </Tooltip>
      <div className="cp-grow">
        <div className="cp-row">
          <h1 className="cp-ell" title={message.subject ?? undefined}>
            {message.subject || 'No subject'}
          </h1>
          <Chip state={message.status} />
          {message.isUrgent && <Chip state="Urgent" />}
          {message.snoozedUntil && <Snoozed until={message.snoozedUntil} />}
        </div>
        <SourceLine message={message} present={present} holder={holder} onTakeOver={onTakeOver} />
      </div>
      {place && (
        <span className="cp-muted cp-num cp-place">
          {formatCount(place.position)} of {formatCount(place.total)}
          {place.capped && '+'}
        </span>
      )}
      <ActionIcon.Group>
        <ActionIcon variant="default" aria-label="Previous message" disabled={!actions.previous} onClick={actions.previous}>
          <IconChevronUp size={17} stroke={1.6} />
        </ActionIcon>
        <ActionIcon variant="default" aria-label="Next message" disabled={!actions.next} onClick={actions.next}>
          <IconChevronDown size={17} stroke={1.6} />
        </ActionIcon>
      </ActionIcon.Group>
      <span className="cp-divider" />
      <Button variant="default" leftSection={<IconCornerUpLeft size={16} stroke={1.6} />} onClick={actions.reply}>
        Reply
      </Button>
      <Button variant="default" leftSection={<IconCornerUpRight size={16} stroke={1.6} />} onClick={actions.forward}>
        Forward
      </Button>
      <Menu>
        <Menu.Target>
          <Button
            variant="default"
            leftSection={<IconDownload size={16} stroke={1.6} />}
            rightSection={<IconChevronDown size={14} stroke={1.6} />}
          >
            Export
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <ExportItems actions={actions} />
        </Menu.Dropdown>
      </Menu>
      {!processed && (
        <Tooltip label="Snooze  s">
          <ActionIcon variant="default" aria-label="Snooze" onClick={actions.snooze}>
            <IconClock size={17} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
      )}
      <Tooltip label="Delete  #">
        <ActionIcon variant="default" aria-label="Delete" onClick={actions.remove}>
          <IconTrash size={17} stroke={1.6} />
        </ActionIcon>
      </Tooltip>
      <ProcessButton processed={processed} actions={actions} />
    </div>
  );
}

function ProcessButton({ processed, actions, size }: { processed: boolean; actions: MessageActions; size?: 'md' }) {
  const { isNarrow } = useViewport();
  const { withoutChart, isPlainOnly } = actions;
  // Beside the patient, the chart has a button of its own.
  if (withoutChart && !processed && (isPlainOnly || (!isNarrow && !size)))
    return (
      <Button size={size} variant="default" leftSection={<IconCheck size={16} stroke={2} />} loading={actions.busy} onClick={withoutChart}>
        File without chart
      </Button>
    );
  const [short, long] = withoutChart ? ['To chart', 'File to chart'] : ['File', 'File and next'];
  return processed ? (
    <Button
      size={size}
      variant="default"
      leftSection={<IconArrowBackUp size={16} stroke={1.8} />}
      loading={actions.busy}
      onClick={actions.reopen}
    >
      Reopen
    </Button>
  ) : (
    <Button
      size={size}
      className="cp-file"
      aria-keyshortcuts="e"
      aria-label={size && long}
      leftSection={<IconCheck size={16} stroke={2} />}
      rightSection={
        size ? undefined : (
          <kbd className="cp-kbd" aria-hidden>
            e
          </kbd>
        )
      }
      loading={actions.busy}
      onClick={actions.process}
    >
      {size ? short : long}
    </Button>
  );
}

export function PhoneHeader({ message, present, holder, onTakeOver, actions }: Omit<Props, 'place'>) {
  return (
    <div className="m-top m-msgtop">
      <ActionIcon size={44} aria-label="Back to Intake" onClick={actions.back}>
        <IconArrowLeft size={21} stroke={1.6} />
      </ActionIcon>
      <div className="cp-grow">
        <h1 className="cp-ell">{message.subject || 'No subject'}</h1>
        <SourceLine message={message} present={present} holder={holder} onTakeOver={onTakeOver} phone />
      </div>
      <ActionIcon size={40} aria-label="Previous message" disabled={!actions.previous} onClick={actions.previous}>
        <IconChevronUp size={20} stroke={1.6} />
      </ActionIcon>
      <ActionIcon size={40} aria-label="Next message" disabled={!actions.next} onClick={actions.next}>
        <IconChevronDown size={20} stroke={1.6} />
      </ActionIcon>
    </div>
  );
}

/** The actions at the foot of a phone; Delete and Print are under More. */
export function PhoneActions({ message, actions }: { message: Message; actions: MessageActions }) {
  const processed = message.isProcessed || message.status === 'Processed';
  return (
    <div className="m-actions">
      <button type="button" className="m-action" onClick={actions.reply}>
        <IconCornerUpLeft size={20} stroke={1.6} aria-hidden />
        Reply
      </button>
      <button type="button" className="m-action" onClick={actions.forward}>
        <IconCornerUpRight size={20} stroke={1.6} aria-hidden />
        Forward
      </button>
      <Menu position="top">
        <Menu.Target>
          <button type="button" className="m-action">
            <IconDownload size={20} stroke={1.6} aria-hidden />
            Export
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          <ExportItems actions={actions} />
        </Menu.Dropdown>
      </Menu>
      <Menu position="top">
        <Menu.Target>
          <button type="button" className="m-action">
            <IconDots size={20} stroke={1.6} aria-hidden />
            More
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          {actions.print && (
            <Menu.Item leftSection={<IconPrinter size={16} stroke={1.6} />} onClick={actions.print}>
              Print
            </Menu.Item>
          )}
          {!processed && (
            <Menu.Item leftSection={<IconClock size={16} stroke={1.6} />} onClick={actions.snooze}>
              Snooze
            </Menu.Item>
          )}
          {!processed && actions.withoutChart && !actions.isPlainOnly && (
            <Menu.Item leftSection={<IconCheck size={16} stroke={1.6} />} onClick={actions.withoutChart}>
              File without chart
            </Menu.Item>
          )}
          {actions.sends.map(({ id, label, run }) => (
            <Menu.Item key={id} leftSection={<IconSend2 size={16} stroke={1.6} />} disabled={actions.isSending} onClick={run}>
              {label}
            </Menu.Item>
          ))}
          <Menu.Item data-danger leftSection={<IconTrash size={16} stroke={1.6} />} onClick={actions.remove}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ProcessButton processed={processed} actions={actions} size="md" />
    </div>
  );
}
