import { ActionIcon } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useShortcuts } from '../shortcuts';
import { useViewport } from '../useViewport';

type Props = {
  title: string;
  /** The action of the arrow and Esc. */
  back: { label: string; run: () => void };
  /** Beside the title. */
  beside?: ReactNode;
  /** A second line below the title. */
  line?: ReactNode;
  actions?: ReactNode;
};

/** The heading of a screen opened from a list. */
export function BackHead({ title, back, beside, line, actions }: Props) {
  const { isPhone } = useViewport();
  useShortcuts([{ keys: 'Escape', ...back }]);
  return (
    <div className={isPhone ? 'm-top cp-backhead' : 'cp-head cp-backhead'}>
      <ActionIcon aria-label={back.label} size={isPhone ? 44 : 36} onClick={back.run}>
        <IconArrowLeft size={19} stroke={1.6} />
      </ActionIcon>
      <div className="cp-grow cp-backhead-title">
        <div className="cp-row">
          <h1 className="cp-ell" title={title}>
            {title}
          </h1>
          {beside}
        </div>
        {line && <div className="cp-backhead-line cp-muted">{line}</div>}
      </div>
      {actions}
    </div>
  );
}
