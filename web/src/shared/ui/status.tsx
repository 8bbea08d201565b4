import { Avatar, Badge } from '@mantine/core';
import { IconArrowsSplit2, IconShieldLock, IconTransferIn, IconUpload } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { initials } from '../format';
import { FaxIcon } from './icons';
import { type Icon, stateOf, type Tone } from './states';

/** A state in a heading or dialog, or one that needs action: tint, icon and word. */
export function Chip({ state, tone, icon: Own, children }: { state?: string; tone?: Tone; icon?: Icon; children?: ReactNode }) {
  const known = stateOf(state ?? '');
  const IconOf = Own ?? known.icon;
  return (
    <Badge className={`cp-chip t-${tone ?? known.tone}`} leftSection={<IconOf size={13} stroke={2} aria-hidden />}>
      {children ?? state}
    </Badge>
  );
}

/** A state in a table: filled only if it needs action. */
export function Status({ state, children }: { state: string; children?: ReactNode }) {
  const { tone, icon: IconOf, act } = stateOf(state);
  if (act) return <Chip state={state}>{children}</Chip>;
  return (
    <span className={`cp-plain t-${tone}`}>
      <IconOf size={15} stroke={1.9} aria-hidden />
      {children ?? state}
    </span>
  );
}

const sources: Record<string, { label: string; icon: Icon | typeof FaxIcon }> = {
  DirectMessage: { label: 'Direct message', icon: IconShieldLock },
  Fax: { label: 'Fax', icon: FaxIcon },
  Upload: { label: 'Upload', icon: IconUpload },
  Triage: { label: 'Triage', icon: IconArrowsSplit2 },
  Interface: { label: 'Interface', icon: IconTransferIn },
};
export const sourceLabel = (kind: string) => sources[kind]?.label ?? kind;

/** The origin of a message, with the page count of a fax. */
export function Source({ kind, pages }: { kind: string; pages?: number | null }) {
  const { label, icon: IconOf } = sources[kind] ?? { label: kind, icon: IconShieldLock };
  return (
    <span className="cp-src" title={label}>
      <IconOf size={16} stroke={1.6} aria-hidden />
      <span className="cp-hidden">{label}</span>
      {pages ? <span className="cp-num">{pages} p</span> : null}
    </span>
  );
}

// Never the colours of states.
const tints = ['info', 'violet', 'neutral', 'brand'] as const;

/** A person's initials. */
export function Who({ name, size = 22 }: { name: string; size?: number }) {
  const tint = tints[[...name].reduce((sum, c) => sum + c.charCodeAt(0), 0) % tints.length]!;
  const colors =
    tint === 'brand'
      ? { background: 'var(--cp-selected)', color: 'var(--cp-brand-text)' }
      : { background: `var(--cp-${tint}-bg)`, color: `var(--cp-${tint}-fg)` };
  return (
    <Avatar
      size={size}
      radius="xl"
      aria-hidden
      styles={{ placeholder: { ...colors, fontSize: size > 26 ? 12 : 9.5 }, root: { minWidth: size } }}
    >
      {initials(name)}
    </Avatar>
  );
}
