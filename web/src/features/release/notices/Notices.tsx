import './notices.css';
import { ActionIcon, Checkbox, Popover, Tooltip, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import {
  IconAlertTriangle,
  IconAt,
  IconBell,
  IconFileAlert,
  IconFlag,
  IconInbox,
  IconUserCheck,
  IconWritingSign,
} from '@tabler/icons-react';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useBranding } from '@/app/branding';
import { mentionsQuery, unfilteredViewsQuery } from '@/domain/messaging/intakeList';
import { useRefreshSignatures, waitingSignaturesQuery } from '@/domain/messaging/signatures/api';
import { formatCount } from '@/shared/format';
import { tellsOf, useFresh } from '@/shared/hubs';
import { notify } from '@/shared/notify';
import { ownerId } from '@/shared/owner';
import { paths } from '@/shared/paths';
import { localStore, readJson } from '@/shared/storage';
import { AppLink, useGo } from '@/shared/ui/AppLink';
import { Notice } from '@/shared/ui/blocks';
import type { Icon } from '@/shared/ui/states';
import { usePreference } from '@/shared/usePreference';
import { useViewport } from '@/shared/useViewport';
import { refreshFailed, useFailedCount } from '../failed/api';
import { type Counts, news } from './news';

const CAP = 10_000;

const KINDS: { key: keyof Counts; label: string; icon: Icon; href: string }[] = [
  { key: 'unread', label: 'Unread in Intake', icon: IconInbox, href: paths.intake() },
  { key: 'mine', label: 'Assigned to you', icon: IconUserCheck, href: paths.intake({ view: 'mine' }) },
  { key: 'urgent', label: 'Urgent', icon: IconFlag, href: paths.intake({ view: 'urgent' }) },
  { key: 'mentions', label: 'Notes that name you', icon: IconAt, href: paths.intake() },
  { key: 'toSign', label: 'To sign', icon: IconWritingSign, href: paths.signatures },
  { key: 'failed', label: 'Not delivered', icon: IconAlertTriangle, href: paths.releaseFailed },
  { key: 'charts', label: 'Charts to check', icon: IconFileAlert, href: paths.failedCharts },
];

/** The counts of a person's waiting work; none until all lists are loaded. */
function useCounts(): { counts?: Counts; mentionedIn?: string | null; isFailed: boolean; retry: () => void } {
  const views = useQuery(unfilteredViewsQuery());
  const failed = useFailedCount();
  const signatures = useQuery(waitingSignaturesQuery);
  const mentions = useQuery(mentionsQuery());
  const missing = [views, failed, signatures].filter((list) => list.isError && !list.data);
  const state = { isFailed: missing.length > 0, retry: () => missing.forEach((list) => void list.refetch()) };
  if (!views.data || !mentions.data || !failed.data || !signatures.data) return state;
  const counts = {
    unread: views.data.unread,
    mine: views.data.assignedToSelf,
    urgent: views.data.urgent,
    mentions: mentions.data.count,
    toSign: signatures.data.totalCount,
    failed: failed.data.messages,
    charts: failed.data.charts,
  };
  return { ...state, counts, mentionedIn: mentions.data.messageId };
}

/** Counts that this person has seen, in this browser. */
const seenKey = () => `notices.${ownerId()}`;

/** Phones allow notices, but show none for an open page. */
function show(title: string, options: NotificationOptions): Notification | null {
  try {
    return new Notification(title, options);
  } catch {
    return null;
  }
}

const canTell = () => typeof Notification !== 'undefined' && Notification.permission === 'granted';

/** The bell: waiting work, with a mark for news since it was last opened, and optional desktop notifications. */
export function Notices() {
  const go = useGo();
  const { displayName } = useBranding();
  const { isPhone } = useViewport();
  const { counts, mentionedIn, isFailed, retry } = useCounts();
  const [opened, { toggle, close }] = useDisclosure();
  const [onDesktop, setOnDesktop] = usePreference('desktopNotices', false);
  const [seen, setSeen] = useState<Counts | null>(() => readJson<Counts>(localStore, seenKey()));
  const hrefOf = (key: keyof Counts) =>
    key === 'mentions' && mentionedIn ? paths.intakeMessage(mentionedIn) : (KINDS.find((kind) => kind.key === key)?.href ?? paths.intake());
  const isNew = counts !== undefined && (seen === null || news(seen, counts).length > 0) && Object.values(counts).some((n) => n > 0);

  const look = () => {
    if (counts) {
      localStore.set(seenKey(), JSON.stringify(counts));
      setSeen(counts);
    }
    toggle();
  };

  useFresh((frame) => tellsOf(frame, 'release') || tellsOf(frame, 'intake'), refreshFailed);
  useFresh((frame) => tellsOf(frame, 'release') || tellsOf(frame, 'intake'), useRefreshSignatures());
  const told = useRef<Counts>(undefined);
  const tell = useEffectEvent((before: Counts, now: Counts) => {
    const [first, ...more] = news(before, now);
    if (!first || !onDesktop || !canTell() || document.visibilityState === 'visible') return;
    // Only numbers: others may see the desktop.
    const notice = show(displayName, { body: [first, ...more].map((n) => n.text).join('\n'), tag: 'carepost' });
    if (!notice) return;
    notice.onclick = () => {
      window.focus();
      go(hrefOf(first.key));
      notice.close();
    };
  });
  useEffect(() => {
    if (!counts) return;
    const before = told.current;
    told.current = counts;
    if (before) tell(before, counts);
  }, [counts]);

  const chooseDesktop = async (wanted: boolean) => {
    if (!wanted) return setOnDesktop(false);
    if (typeof Notification === 'undefined') return notify('warning', 'This browser cannot show notices on the desktop.');
    const answer = await Notification.requestPermission();
    if (answer !== 'granted') return notify('warning', 'This browser does not allow notices. Allow them in its settings for this site.');
    setOnDesktop(true);
  };

  const waiting = KINDS.filter(({ key }) => (counts?.[key] ?? 0) > 0);
  return (
    <Popover opened={opened} onChange={(o) => !o && close()} position="bottom-end" width={300} trapFocus shadow="md">
      <Popover.Target>
        <Tooltip label="Notices" disabled={opened}>
          <ActionIcon
            size={isPhone ? 44 : undefined}
            aria-label={isNew ? 'Notices, something is new' : 'Notices'}
            aria-haspopup="dialog"
            aria-expanded={opened}
            onClick={look}
          >
            <IconBell size={isPhone ? 21 : 18} stroke={1.6} />
            {isNew && <span className="rel-bell-dot" />}
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown aria-label="Notices" className="rel-notices">
        {isFailed && (
          <Notice kind="error">
            Your notices could not be loaded.{' '}
            <UnstyledButton className="cp-link" onClick={retry}>
              Try again
            </UnstyledButton>
          </Notice>
        )}
        {waiting.length === 0 && !isFailed && <p className="cp-second rel-notices-none">{counts ? 'No notices.' : 'Loading…'}</p>}
        <ul>
          {waiting.map(({ key, label, icon: IconOf }) => (
            <li key={key}>
              <AppLink href={hrefOf(key)} className="rel-notice" onClick={close}>
                <IconOf size={17} stroke={1.6} aria-hidden />
                <span className="cp-grow">{label}</span>
                <b className="cp-num">{formatCount(counts![key], false, CAP)}</b>
              </AppLink>
            </li>
          ))}
        </ul>
        {!isPhone && (
          <div className="rel-notices-foot">
            <Checkbox
              label="Desktop notifications"
              description="While this window is in the background. Counts only, no names."
              checked={onDesktop && canTell()}
              onChange={(e) => void chooseDesktop(e.currentTarget.checked)}
            />
          </div>
        )}
      </Popover.Dropdown>
    </Popover>
  );
}
