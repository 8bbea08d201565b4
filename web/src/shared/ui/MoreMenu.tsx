import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import type { ReactNode } from 'react';

type Props = {
  /** The label for screen readers. */
  label: string;
  /** A larger touch target. */
  isLarge?: boolean;
  /** With a frame, among buttons that have one. */
  isFramed?: boolean;
  /** The items. */
  children: ReactNode;
};

/** The three-dot menu with further actions. */
export function MoreMenu({ label, isLarge = false, isFramed = false, children }: Props) {
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon size={isLarge ? 44 : isFramed ? undefined : 28} variant={isFramed ? 'default' : undefined} aria-label={label}>
          <IconDots size={isLarge ? 20 : 16} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}
