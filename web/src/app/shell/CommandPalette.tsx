import './palette.css';
import { Combobox, Highlight, Modal, TextInput, useCombobox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconBolt, IconInbox, IconLayoutGrid, IconSearch, IconSend2, IconUser } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { quiet } from '@/api/client';
import { queryOf } from '@/api/query';
import { useDebounced } from '@/shared/debounce';
import { formatRecent } from '@/shared/format';
import { paths } from '@/shared/paths';
import { EVER, showDate } from '@/shared/rules/dates';
import { Keys, useShortcutList } from '@/shared/shortcuts';
import { useGo } from '@/shared/ui/AppLink';
import type { Icon } from '@/shared/ui/states';
import { useEscape } from '@/shared/ui/useEscape';
import { hasRole, refusal } from '../access';
import { navFor, type Screen } from '../screens';
import { useFeatures, useProfile } from '../session';

/** An entry of the palette. */
type Entry = {
  id: string;
  label: string;
  /** Beside the label, less prominent. */
  second?: string;
  /** At the end of the line. */
  end?: ReactNode;
  icon: Icon;
  run: () => void;
  /** Its target, for a new tab. */
  href?: string;
};
type Group = { label: string; entries: Entry[] };
type Command = { label: string; run: () => void };

const SEARCH_DELAY_MS = 200;
const FRESH_MS = 10_000;
const MESSAGES = 4;
/** Minimum number of letters to search messages and patients. */
const MESSAGE_LETTERS = 2;
const PATIENT_LETTERS = 3;
/** Entries of a group while nothing is typed. */
const UNASKED = 6;

/** Every word begins a word of the label. */
export function matches(label: string, query: string): boolean {
  const words = label.toLowerCase().split(/\s+/);
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((asked) => words.some((word) => word.startsWith(asked)));
}

/** Messages and patients that match the typed text, from all dates and not only the last month. */
function useFound(typed: string, isStaff: boolean) {
  const words = useDebounced(typed.trim(), SEARCH_DELAY_MS);
  const asked = (letters: number) => isStaff && words.length >= letters;
  const common = { staleTime: FRESH_MS, retry: false } as const;
  const received = useQuery({
    ...queryOf('post', '/api/intake', {
      body: { pageStart: 1, pageSize: MESSAGES, isAll: true, startDate: EVER, filter: words },
      ...quiet,
    }),
    enabled: asked(MESSAGE_LETTERS),
    ...common,
  });
  const released = useQuery({
    ...queryOf('post', '/api/messages/_search', { body: { pageStart: 1, pageSize: MESSAGES, filter: words }, ...quiet }),
    enabled: asked(MESSAGE_LETTERS),
    ...common,
  });
  const patients = useQuery({
    ...queryOf('post', '/api/patients/_search', { body: { text: words }, ...quiet }),
    enabled: asked(PATIENT_LETTERS),
    ...common,
  });
  const all = [received, released, patients];
  return {
    received: received.data?.items ?? [],
    released: released.data?.items ?? [],
    patients: patients.data?.items ?? [],
    isSearching: words !== typed.trim() || all.some((q) => q.isFetching),
    hasFailed: all.some((q) => q.isError),
  };
}

function useScreens(screens: readonly Screen[]): { label: string; group?: string; href: string; icon: Icon }[] {
  const profile = useProfile();
  const features = new Set(useFeatures());
  const inSidebar = navFor(screens, profile, features).flatMap(({ head, items }) => items.map((item) => ({ ...item, group: head })));
  const others = screens.filter((s) => !s.nav && !s.route.includes('$') && !refusal(s.access ?? {}, profile, features));
  return [...inSidebar, ...others.map((s) => ({ label: s.title, href: s.route as string, icon: IconLayoutGrid }))];
}

const nameOf = (p: { firstName?: string | null; lastName?: string | null }) => [p.lastName, p.firstName].filter(Boolean).join(', ');

/** Actions, screens, patients and messages that match the typed text, without empty groups. */
function useEntries(query: string, { screens, commands, isStaff }: { screens: readonly Screen[]; commands: Command[]; isStaff: boolean }) {
  const go = useGo();
  const asked = query.trim();
  const { received, released, patients, isSearching, hasFailed } = useFound(query, isStaff);
  const shortcuts = useShortcutList();
  const places = useScreens(screens);

  // The latest screen wins, as with the keys themselves.
  const acts = new Map(
    shortcuts
      .filter((s) => s.keys !== 'mod+k')
      .reverse()
      .map(({ label, run, keys }) => {
        const [key] = [keys].flat();
        return [label, { label, run, end: key && <Keys of={key} /> }];
      }),
  );
  const goTo = (href: string, search?: string) => () => go(href, { search });
  const chosen = <T extends { label: string }>(all: T[]) => (asked ? all.filter((e) => matches(e.label, asked)) : all.slice(0, UNASKED));
  const groups: Group[] = [
    {
      label: 'Actions',
      entries: chosen([...acts.values(), ...commands]).map((e) => ({ ...e, id: `action.${e.label}`, icon: IconBolt })),
    },
    {
      label: 'Screens',
      entries: chosen(places).map((s) => ({
        id: `screen.${s.href}`,
        label: s.label,
        second: s.group,
        icon: s.icon,
        href: s.href,
        run: goTo(s.href),
      })),
    },
    { label: 'Patients', entries: patients.map((p) => patientEntry(p, goTo)) },
    { label: 'Messages', entries: [...received.map((m) => receivedEntry(m, goTo)), ...released.map((m) => releasedEntry(m, goTo))] },
  ];
  return { groups: groups.filter((g) => g.entries.length > 0), isSearching, hasFailed };
}

type Found = ReturnType<typeof useFound>;
type GoTo = (href: string, search?: string) => () => void;

const patientEntry = ({ id, patient, messageCount, lastDate }: Found['patients'][number], goTo: GoTo): Entry => ({
  id: `patient.${id ?? `${nameOf(patient)}.${patient.birthDate}`}`,
  label: nameOf(patient),
  second: [showDate(patient.birthDate), patient.gender, patient.patientId].filter(Boolean).join(' · '),
  end: (
    <span className="cp-muted cp-num">
      {messageCount === 1 ? '1 message' : `${messageCount} messages`}, last {formatRecent(lastDate)}
    </span>
  ),
  icon: IconUser,
  ...(id && { href: paths.patient(id) }),
  run: id ? goTo(paths.patient(id)) : goTo(paths.intake(), nameOf(patient).replace(',', '')),
});

const receivedEntry = (m: Found['received'][number], goTo: GoTo): Entry => ({
  id: `intake.${m.id}`,
  label: m.subject || 'No subject',
  second: [m.patientName, m.fromName || m.fromAddress].filter(Boolean).join(' · '),
  end: <span className="cp-muted cp-num">{formatRecent(m.createdDate)}</span>,
  icon: IconInbox,
  href: paths.intakeMessage(m.id),
  run: goTo(paths.intakeMessage(m.id)),
});

function releasedEntry(m: Found['released'][number], goTo: GoTo): Entry {
  const href = m.isDraft ? paths.releaseDraft(m.id) : paths.releaseMessage(m.id);
  const to = m.toNames?.[0] || m.toAddresses[0];
  return {
    id: `release.${m.id}`,
    label: m.subject || 'No subject',
    second: [m.patientName, m.isDraft ? 'draft' : to && `to ${to}`].filter(Boolean).join(' · '),
    end: <span className="cp-muted cp-num">{formatRecent(m.messageDate ?? m.createdDate)}</span>,
    icon: IconSend2,
    href,
    run: goTo(href),
  };
}

type Props = {
  screens: readonly Screen[];
  /** Actions available everywhere, besides the shortcuts of the current screen. */
  commands: Command[];
  onClose: () => void;
};

/** Search for actions, patients, messages and screens, to run or open. */
export function CommandPalette({ screens, commands, onClose }: Props) {
  const isStaff = hasRole(useProfile(), 'Administrator,User');
  const [query, setQuery] = useState('');
  const inNewTab = useRef(false);
  const asked = query.trim();
  const { groups, isSearching, hasFailed } = useEntries(query, { screens, commands, isStaff });
  const entries = groups.flatMap((g) => g.entries);
  useEscape(true, onClose);

  const combobox = useCombobox({ opened: true });
  const order = entries.map((e) => e.id).join();
  useEffect(() => {
    combobox.selectFirstOption();
    // oxlint-disable-next-line react/exhaustive-deps -- The store is new with each render; only another list starts over.
  }, [order]);

  const submit = (id: string) => {
    const entry = entries.find((e) => e.id === id);
    if (!entry) return;
    onClose();
    if (inNewTab.current && entry.href) window.open(entry.href, '_blank', 'noopener');
    // The opened layer takes the focus after the palette has returned it.
    else setTimeout(entry.run);
  };
  const noteTab = (e: { ctrlKey: boolean; metaKey: boolean }) => {
    inNewTab.current = e.ctrlKey || e.metaKey;
  };
  return (
    <Modal.Root opened onClose={onClose} closeOnEscape={false} size={660} yOffset={72} transitionProps={{ duration: 0 }}>
      <Modal.Overlay backgroundOpacity={0.36} color="#0D1B21" />
      <Modal.Content shadow="xl" aria-label="Search or jump to…">
        <Combobox store={combobox} onOptionSubmit={submit}>
          <Combobox.EventsTarget withExpandedAttribute>
            <TextInput
              data-autofocus
              size="md"
              variant="unstyled"
              className="cp-palette-search"
              aria-label="Find actions, patients, messages and screens"
              placeholder={isStaff ? 'Find an action, a patient, a message or a screen' : 'Find an action or a screen'}
              leftSection={<IconSearch size={18} stroke={1.8} aria-hidden />}
              rightSection={<Keys of="Escape" />}
              rightSectionWidth={52}
              maxLength={255}
              autoComplete="off"
              value={query}
              onChange={(e) => setQuery(e.currentTarget.value)}
              onKeyDown={(e) => {
                noteTab(e);
                // The list is always open, so it would take Escape for itself.
                if (e.key === 'Escape' && !e.nativeEvent.isComposing) onClose();
              }}
            />
          </Combobox.EventsTarget>
          <Combobox.Options className="cp-palette-list" aria-label="Found" tabIndex={0}>
            <Options groups={groups} asked={asked} noteTab={noteTab} />
          </Combobox.Options>
          {entries.length === 0 && (
            <Combobox.Empty role="status">{isSearching ? 'Searching…' : `Nothing found for “${asked}”`}</Combobox.Empty>
          )}
        </Combobox>
        <Foot said={hasFailed ? 'Messages could not be searched.' : isSearching && asked ? 'Searching…' : ''} />
      </Modal.Content>
    </Modal.Root>
  );
}

type OptionsProps = { groups: Group[]; asked: string; noteTab: (e: { ctrlKey: boolean; metaKey: boolean }) => void };

const Options = ({ groups, asked, noteTab }: OptionsProps) =>
  groups.map((group) => (
    <Combobox.Group key={group.label} label={group.label}>
      {group.entries.map(({ id, label, second, end, icon: IconOf }) => (
        <Combobox.Option key={id} value={id} className="cp-palette-entry" onMouseDown={noteTab}>
          <IconOf size={18} stroke={1.6} aria-hidden />
          <Highlight component="span" highlight={asked.split(/\s+/)} className="cp-ell cp-palette-label">
            {label}
          </Highlight>
          {second && <span className="cp-ell cp-second">{second}</span>}
          <span className="cp-grow" />
          {end && <span className="cp-palette-end">{end}</span>}
        </Combobox.Option>
      ))}
    </Combobox.Group>
  ));

const Foot = ({ said }: { said: string }) => (
  <div className="cp-palette-foot">
    <span>
      <kbd className="cp-kbd">↑</kbd> <kbd className="cp-kbd">↓</kbd> move
    </span>
    <span>
      <kbd className="cp-kbd">Enter</kbd> choose
    </span>
    <span>
      <Keys of="mod+Enter" /> open in new tab
    </span>
    <span className="cp-grow" />
    <span role="status">{said}</span>
  </div>
);
