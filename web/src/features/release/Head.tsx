import { ActionIcon } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useShortcuts } from '@/shared/shortcuts';
import { useGo } from '@/shared/ui/AppLink';
import { useViewport } from '@/shared/useViewport';

type Props = {
  title: string;
  /** Where the arrow and Esc lead. */
  back: { href: string; label: string };
  /** Stands beside the title. */
  beside?: ReactNode;
  /** A second line below the title. */
  line?: ReactNode;
  actions: ReactNode;
};

/** The head of a screen that was opened from a list. */
export function Head({ title, back, beside, line, actions }: Props) {
  const { isPhone } = useViewport();
  const go = useGo();
  useShortcuts([{ keys: 'Escape', label: back.label, run: () => go(back.href) }]);
  return (
    <div className={isPhone ? 'm-top rel-head' : 'cp-head rel-head'}>
      <ActionIcon aria-label={back.label} size={isPhone ? 44 : 36} onClick={() => go(back.href)}>
        <IconArrowLeft size={19} stroke={1.6} />
      </ActionIcon>
      <div className="cp-grow rel-title">
        <div className="cp-row">
          <h1 className="cp-ell" title={title}>
            {title}
          </h1>
          {beside}
        </div>
        {line && <div className="rel-line cp-muted">{line}</div>}
      </div>
      {actions}
    </div>
  );
}
