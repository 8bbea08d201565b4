import { ActionIcon, Popover } from '@mantine/core';
import { useDisclosure, useId } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useDebouncedCall } from '../debounce';

/** Delays before it opens and closes, in milliseconds. */
const DELAY_MS = 200;

type Props = {
  /** The purpose of the button. */
  label: string;
  icon: ReactNode;
  title: string;
  children: ReactNode;
};

/** Details behind a button: opens on hover, and on press for keyboard and touch. */
export function HoverPopover({ label, icon, title, children }: Props) {
  const [opened, { open, close, toggle }] = useDisclosure();
  const id = useId();
  const [point, stay] = useDebouncedCall((isOver: boolean) => (isOver ? open() : close()), DELAY_MS);
  return (
    <Popover opened={opened} onDismiss={close} position="bottom-end" shadow="md" withRoles={false} returnFocus>
      <Popover.Target>
        <ActionIcon
          variant="subtle"
          aria-label={label}
          aria-expanded={opened}
          aria-controls={opened ? id : undefined}
          onClick={() => {
            stay();
            toggle();
          }}
          onMouseEnter={() => point(true)}
          onMouseLeave={() => point(false)}
          onBlur={close}
        >
          {icon}
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown id={id} onMouseEnter={() => point(true)} onMouseLeave={() => point(false)}>
        <b className="cp-strong cp-block">{title}</b>
        {children}
      </Popover.Dropdown>
    </Popover>
  );
}
