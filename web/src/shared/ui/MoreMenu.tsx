import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import type { ReactNode } from 'react';

type Props = {
  /** What people hear. */
  label: string;
  /** As large as a finger. */
  isLarge?: boolean;
  /** With a frame, among buttons that have one. */
  isFramed?: boolean;
  /** The items. */
  children: ReactNode;
};

/** The three dots with what else can be done. */
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
