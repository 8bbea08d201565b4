import { UnstyledButton } from '@mantine/core';
import type { KeyboardEvent } from 'react';
import type { ConnectionKind, ConnectionType } from '@/api/types';
import { Dialog } from '@/shared/ui/Dialog';

/** Arrow keys go from one to the next. */
function moveFocus(e: KeyboardEvent<HTMLUListElement>) {
  const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[e.key];
  if (!step) return;
  e.preventDefault();
  const all = [...e.currentTarget.querySelectorAll('button')];
  const at = all.findIndex((button) => button === document.activeElement);
  all[(at + step + all.length) % all.length]?.focus();
}

type Props = { types: ConnectionType[]; onChoose: (kind: ConnectionKind) => void; onClose: () => void };

/** Asks what kind of system is connected. */
export const KindDialog = ({ types, onChoose, onClose }: Props) => (
  <Dialog opened onClose={onClose} title="Add connection" size={560}>
    <ul className="int-kinds" aria-label="Kinds of systems" onKeyDown={moveFocus}>
      {types.map(({ integrationType, name, description }, at) => (
        <li key={integrationType}>
          <UnstyledButton className="int-kind" data-autofocus={at === 0 || undefined} onClick={() => onChoose(integrationType)}>
            <span className="cp-strong cp-block">{name}</span>
            <span className="cp-second cp-block">{description}</span>
          </UnstyledButton>
        </li>
      ))}
    </ul>
  </Dialog>
);
