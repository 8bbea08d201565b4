import {
  IconAlertTriangle,
  IconArrowsSplit2,
  IconBellRinging,
  IconCheck,
  IconChecks,
  IconCircleCheck,
  IconCircleDashed,
  IconClockHour4,
  IconCornerUpLeft,
  IconCornerUpRight,
  IconFileExport,
  IconFlagFilled,
  IconHelpCircle,
  IconInbox,
  IconLoader2,
  IconLock,
  IconLockOpen2,
  IconMailForward,
  IconMailX,
  IconPencil,
  IconPlayerRecord,
  IconRefresh,
  IconScan,
  IconSend2,
  IconShieldCheck,
  IconTrash,
  IconUpload,
} from '@tabler/icons-react';

export type Tone = 'info' | 'success' | 'warn' | 'danger' | 'violet' | 'neutral';
export type Icon = typeof IconCheck;
/** `act`: somebody has to do something, so tables show a filled chip instead of an icon and a word. */
export type State = { tone: Tone; icon: Icon; act?: true };

const states: Record<string, State> = {
  // messages
  Received: { tone: 'info', icon: IconInbox },
  Uploaded: { tone: 'info', icon: IconUpload },
  Triaged: { tone: 'violet', icon: IconArrowsSplit2, act: true },
  Pending: { tone: 'warn', icon: IconClockHour4, act: true },
  Processed: { tone: 'success', icon: IconCheck },
  Forwarded: { tone: 'neutral', icon: IconCornerUpRight },
  Replied: { tone: 'neutral', icon: IconCornerUpLeft },
  Failed: { tone: 'danger', icon: IconAlertTriangle, act: true },
  Exported: { tone: 'neutral', icon: IconFileExport },
  Deleted: { tone: 'neutral', icon: IconTrash },
  Bounced: { tone: 'danger', icon: IconMailX },
  Saved: { tone: 'neutral', icon: IconPencil },
  Sent: { tone: 'info', icon: IconSend2 },
  Urgent: { tone: 'danger', icon: IconFlagFilled, act: true },
  // delivery
  Queued: { tone: 'neutral', icon: IconClockHour4 },
  Sending: { tone: 'info', icon: IconLoader2, act: true },
  Waiting: { tone: 'warn', icon: IconClockHour4, act: true },
  Delivered: { tone: 'success', icon: IconChecks },
  'Partly failed': { tone: 'danger', icon: IconAlertTriangle, act: true },
  Uncertain: { tone: 'warn', icon: IconHelpCircle, act: true },
  // patient data
  Unverified: { tone: 'warn', icon: IconScan, act: true },
  Verified: { tone: 'success', icon: IconShieldCheck },
  // console
  Inactive: { tone: 'neutral', icon: IconCircleDashed },
  Activated: { tone: 'success', icon: IconCircleCheck },
  'Not Activated': { tone: 'neutral', icon: IconCircleDashed },
  Active: { tone: 'success', icon: IconCircleCheck },
  Invited: { tone: 'info', icon: IconMailForward },
  Enabled: { tone: 'success', icon: IconLockOpen2 },
  Disabled: { tone: 'danger', icon: IconLock, act: true },
  Capturing: { tone: 'violet', icon: IconPlayerRecord, act: true },
  Completed: { tone: 'success', icon: IconCheck },
  Created: { tone: 'success', icon: IconCheck },
  Invalid: { tone: 'danger', icon: IconAlertTriangle, act: true },
  'Not saved': { tone: 'danger', icon: IconAlertTriangle },
  Running: { tone: 'info', icon: IconLoader2 },
  Retry: { tone: 'warn', icon: IconRefresh, act: true },
  Skipped: { tone: 'neutral', icon: IconCircleDashed },
  OK: { tone: 'info', icon: IconCircleCheck },
  Warn: { tone: 'warn', icon: IconAlertTriangle, act: true },
  Error: { tone: 'danger', icon: IconAlertTriangle, act: true },
  Triggered: { tone: 'danger', icon: IconBellRinging, act: true },
  Recovered: { tone: 'success', icon: IconCircleCheck },
};

const unknown: State = { tone: 'neutral', icon: IconCircleDashed };
export const stateOf = (name: string): State => states[name] ?? unknown;
