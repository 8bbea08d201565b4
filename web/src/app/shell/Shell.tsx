import { ActionIcon, AppShell, Drawer, TextInput, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Outlet, useLocation, useMatches } from '@tanstack/react-router';
import {
  IconCommand,
  IconHelp,
  IconLayoutSidebarLeftCollapse,
  IconLayoutSidebarLeftExpand,
  IconMenu2,
  IconSearch,
} from '@tabler/icons-react';
import { type ComponentType, type FormEvent, lazy, type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { connectHub, publishEvent } from '@/shared/hubs';
import { paths } from '@/shared/paths';
import { ShellContext } from '@/shared/shell';
import { ShortcutHelp, useShortcuts } from '@/shared/shortcuts';
import { usePreference } from '@/shared/usePreference';
import { useViewport } from '@/shared/useViewport';
import { useGo } from '@/shared/ui/AppLink';
import { useEscape } from '@/shared/ui/useEscape';
import { hasRole } from '../access';
import { useBranding } from '../branding';
import type { Screen } from '../screens';
import { expireSession, readFeatures, useProfile } from '../session';
import { UpgradeDialog } from '../upgrade';
import { Connection } from './Connection';
import { IdleSignOut } from './IdleSignOut';
import { OrgSwitcher } from './OrgSwitcher';
import { ProfileMenu } from './ProfileMenu';
import { Sidebar } from './Sidebar';

const CommandPalette = lazy(() => import('./CommandPalette').then((m) => ({ default: m.CommandPalette })));

const BANNER = 28;
/** The menu gives the focus back a moment after it closes; what opens next takes it only then. */
const FOCUS_RETURN_MS = 20;

/** Searches messages; `/` focuses it. */
function GlobalSearch() {
  const go = useGo();
  const input = useRef<HTMLInputElement>(null);
  useShortcuts([{ keys: '/', label: 'Search', run: () => input.current?.focus() }]);
  const search = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault();
    const words = input.current?.value.trim() ?? '';
    if (!words) return;
    go(paths.intake(), { search: words });
    input.current!.value = '';
    input.current!.blur();
  };
  return (
    // The form element is the search landmark.
    <form role="search" onSubmit={search} className="cp-topsearch">
      <TextInput
        ref={input}
        type="search"
        aria-label="Search messages, patients, senders"
        placeholder="Search messages, patients, senders"
        leftSection={<IconSearch size={15} stroke={1.6} aria-hidden />}
        leftSectionWidth={32}
        rightSection={
          <kbd className="cp-kbd" aria-hidden>
            /
          </kbd>
        }
      />
    </form>
  );
}

type DialogProps = { onClose: () => void };
type Props = {
  screens: readonly Screen[];
  /** Layers that open over any screen. */
  dialogs: { FindProvider: ComponentType<DialogProps>; ActivityReport: ComponentType<DialogProps>; OrganizationDialogs: ComponentType };
  /** Notices in the top bar of people who work with messages. */
  Notices: ComponentType;
  /** Background tasks of people who work with messages: a button, and a function that opens the list. */
  tasks: { Button: ComponentType; open: () => void };
};

/** Whether the sidebar shows words or icons alone, and the menu that takes its place on narrow screens. */
function useSidebar() {
  const { isNarrow, isMedium, isLabelled } = useViewport();
  const [menuOpened, menu] = useDisclosure();
  const [kept, keep] = usePreference<boolean | null>('sidebarOpen', null);
  const startsWithRail = useMatches({ select: (matches) => matches.some((m) => m.staticData.rail) });
  // Screens that need the room always start with the rail; expanding it there is not remembered.
  const [openHere, setOpenHere] = useState(false);
  const [railBefore, setRailBefore] = useState(startsWithRail);
  if (railBefore !== startsWithRail) {
    setRailBefore(startsWithRail);
    setOpenHere(false);
  }
  // The console has so many areas that nobody knows all icons.
  const isConsole = useLocation({ select: (l) => l.pathname.startsWith('/admin') });
  const isOpen = startsWithRail ? openHere : (kept ?? (!isMedium || (isConsole && isLabelled)));
  useEscape(menuOpened, menu.close);
  return {
    isOpen,
    toggle: () => (isNarrow ? menu.open() : startsWithRail ? setOpenHere(!isOpen) : keep(!isOpen)),
    menu: { isOpen: menuOpened, ...menu },
  };
}

/** Layers that open over any screen. */
function useOverlays() {
  const [isHelping, help] = useDisclosure();
  const [isFinding, find] = useDisclosure();
  const [isReporting, report] = useDisclosure();
  const [isCommanding, command] = useDisclosure();
  return {
    help: { isOpen: isHelping, ...help },
    find: { isOpen: isFinding, ...find },
    report: { isOpen: isReporting, ...report },
    command: { isOpen: isCommanding, ...command },
  };
}

/** Listens to the server's events of this organization during a session. */
function useEvents(organizationId: string | null | undefined) {
  useEffect(() => {
    let isAgain = false;
    const hub = connectHub('events', {
      onFrame: (frame) => {
        if (frame.type === 'revoked') expireSession();
        else if (frame.type === 'features') readFeatures();
        else publishEvent(frame as { type: string; messageId?: string });
      },
      // Events from before, or from while the connection was lost, were missed.
      onListening: () => {
        publishEvent({ type: 'again' });
        if (isAgain) readFeatures();
        isAgain = true;
      },
    });
    return hub.close;
  }, [organizationId]);
}

/** The frame of every screen behind sign-in: sidebar, top bar, one sheet. */
export function Shell({ screens, dialogs: { FindProvider, ActivityReport, OrganizationDialogs }, Notices, tasks }: Props) {
  const profile = useProfile();
  const { demo } = useBranding();
  const { isPhone, isNarrow } = useViewport();
  const sidebar = useSidebar();
  const { menu, isOpen } = sidebar;
  const overlays = useOverlays();
  const { help, find, report, command } = overlays;
  const go = useGo();
  const searches = hasRole(profile, 'Administrator,User');
  // A change of organization, also in another window, restarts every screen and dialog.
  const place = profile.organizationId ?? '';
  const bell = useMemo(() => searches && <Notices key={place} />, [searches, Notices, place]);
  const shell = useMemo(() => ({ openMenu: menu.open, bell }), [menu.open, bell]);
  useShortcuts([
    { keys: 'mod+k', label: 'Search or jump to…', run: command.open },
    { keys: '?', label: 'All keyboard shortcuts', run: help.open },
    ...(searches && profile.orgIsActivated !== false ? [{ keys: 'c', label: 'New release', run: () => go(paths.releaseNew) }] : []),
  ]);
  useEvents(profile.organizationId);

  const tasksButton = searches && <tasks.Button />;
  return (
    <ShellContext value={shell}>
      <AppShell
        layout="alt"
        header={{ height: (isPhone ? 0 : 52) + (demo ? BANNER : 0) }}
        navbar={{ width: isOpen ? 240 : 56, breakpoint: 1024, collapsed: { mobile: true, desktop: false } }}
        padding={0}
        className={isOpen ? undefined : 'cp-rail-on'}
        data-demo={demo || undefined}
        transitionDuration={0}
      >
        <a href="#main" className="cp-skip">
          Skip to content
        </a>
        <AppShell.Header>
          {demo && <DemoBanner />}
          {!isPhone && <TopBar sidebar={sidebar} overlays={overlays} searches={searches} tasksButton={tasksButton} bell={bell} />}
        </AppShell.Header>
        {!isNarrow && (
          <AppShell.Navbar className={isOpen ? undefined : 'cp-rail'}>
            <Sidebar screens={screens} rail={!isOpen} onFind={find.open} />
          </AppShell.Navbar>
        )}
        <AppShell.Main id="main">
          <Connection />
          <div className="cp-sheet" key={place}>
            <Outlet />
          </div>
        </AppShell.Main>
      </AppShell>
      <MenuDrawer menu={menu} overlays={overlays} screens={screens} tasksButton={tasksButton} />
      <ShortcutHelp opened={help.isOpen} onClose={help.close} />
      {command.isOpen && (
        <Suspense fallback={null}>
          <CommandPalette
            key={`command.${place}`}
            screens={screens}
            onClose={command.close}
            commands={[
              ...(searches ? [{ label: 'Find Provider', run: find.open }] : []),
              ...(searches ? [{ label: 'Activity report', run: report.open }] : []),
              ...(searches ? [{ label: 'Background tasks', run: tasks.open }] : []),
              { label: 'Sign out', run: () => go(paths.logout) },
            ]}
          />
        </Suspense>
      )}
      {find.isOpen && <FindProvider key={`find.${place}`} onClose={find.close} />}
      {report.isOpen && <ActivityReport key={`report.${place}`} onClose={report.close} />}
      <UpgradeDialog />
      <OrganizationDialogs key={`begin.${place}`} />
      <IdleSignOut seconds={profile.idleTimeoutSeconds} />
    </ShellContext>
  );
}

const DemoBanner = () => (
  <div className="cp-banner">
    <span className="cp-ell">Demonstration: all patients and organizations are fictional.</span>
  </div>
);

type Overlays = ReturnType<typeof useOverlays>;
type BarProps = {
  sidebar: ReturnType<typeof useSidebar>;
  overlays: Overlays;
  searches: boolean;
  tasksButton: ReactNode;
  bell: ReactNode;
};

function TopBar({ sidebar: { isOpen, toggle }, overlays: { command, help, report }, searches, tasksButton, bell }: BarProps) {
  const { isNarrow } = useViewport();
  const toggleLabel = isNarrow ? 'Menu' : isOpen ? 'Collapse sidebar' : 'Open sidebar';
  const ToggleIcon = isNarrow ? IconMenu2 : isOpen ? IconLayoutSidebarLeftCollapse : IconLayoutSidebarLeftExpand;
  return (
    <div className="cp-top">
      <Tooltip label={toggleLabel}>
        <ActionIcon aria-label={toggleLabel} onClick={toggle}>
          <ToggleIcon size={18} stroke={1.6} />
        </ActionIcon>
      </Tooltip>
      <OrgSwitcher />
      <div className="cp-grow" />
      {searches && <GlobalSearch />}
      <Tooltip label="Search or jump to… (Ctrl+K)">
        <ActionIcon aria-label="Search or jump to…" aria-keyshortcuts="Control+K" onClick={command.open}>
          <IconCommand size={18} stroke={1.6} />
        </ActionIcon>
      </Tooltip>
      {tasksButton}
      {bell}
      <Tooltip label="Keyboard shortcuts">
        <ActionIcon aria-label="Keyboard shortcuts" onClick={help.open}>
          <IconHelp size={18} stroke={1.6} />
        </ActionIcon>
      </Tooltip>
      <ProfileMenu onReport={report.open} />
    </div>
  );
}

type DrawerProps = {
  menu: BarProps['sidebar']['menu'];
  overlays: Overlays;
  screens: readonly Screen[];
  tasksButton: ReactNode;
};

/** The sidebar of narrow screens. */
function MenuDrawer({ menu, overlays: { find, command, report }, screens, tasksButton }: DrawerProps) {
  const fromMenu = (open: () => void) => () => {
    menu.close();
    setTimeout(open, FOCUS_RETURN_MS);
  };
  return (
    <Drawer.Root
      opened={menu.isOpen}
      onClose={menu.close}
      closeOnEscape={false}
      size={280}
      position="left"
      classNames={{ content: 'cp-drawer' }}
    >
      <Drawer.Overlay backgroundOpacity={0.36} color="#0D1B21" />
      <Drawer.Content aria-label="Menu">
        <Sidebar screens={screens} onGo={menu.close} onFind={fromMenu(find.open)} />
        <div className="cp-drawer-foot">
          <OrgSwitcher onSwitched={menu.close} />
          <div className="cp-grow" />
          {tasksButton}
          <ActionIcon size={36} aria-label="Search or jump to…" onClick={fromMenu(command.open)}>
            <IconCommand size={20} stroke={1.6} />
          </ActionIcon>
          <ProfileMenu onReport={fromMenu(report.open)} />
        </div>
      </Drawer.Content>
    </Drawer.Root>
  );
}
