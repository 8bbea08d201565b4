import { ActionIcon } from '@mantine/core';
import { IconMenu2 } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useShell } from '../shell';
import { useViewport } from '../useViewport';

/** The title of a page, content beside it, and its actions at the right. On phones it also has the menu button and the bell. */
export function PageHead({ title, beside, actions }: { title: string; beside?: ReactNode; actions?: ReactNode }) {
  const { isPhone } = useViewport();
  const { openMenu, bell } = useShell();
  if (isPhone) {
    return (
      <>
        <div className="m-top">
          <ActionIcon size={44} aria-label="Menu" onClick={openMenu}>
            <IconMenu2 size={22} stroke={1.6} />
          </ActionIcon>
          <h1 className="cp-grow cp-ell">{title}</h1>
          {actions}
          {bell}
        </div>
        {beside && <div className="m-beside">{beside}</div>}
      </>
    );
  }
  return (
    <div className="cp-head">
      <h1>{title}</h1>
      {beside}
      <div className="cp-grow" />
      {actions}
    </div>
  );
}
