import { Menu } from '@mantine/core';
import {
  IconCheck,
  IconClock,
  IconCornerUpLeft,
  IconCornerUpRight,
  IconFileExport,
  IconFlag,
  IconFolderOpen,
  IconPrinter,
  IconTag,
  IconTrash,
  IconUserPlus,
} from '@tabler/icons-react';
import type { IntakeItem } from '@/api/types';
import { paths } from '@/shared/paths';
import { useGo } from '@/shared/ui/AppLink';
import type { ListActs } from './useListActs';

type Props = { message: IntakeItem; acts: ListActs; onOpen: () => void; onDelete: () => void };

/** The menu of one message of the list. */
export function IntakeRowMenu({ message: m, acts, onOpen, onDelete }: Props) {
  const go = useGo();
  return (
    <>
      <Menu.Item leftSection={<IconFolderOpen size={16} stroke={1.6} />} onClick={onOpen}>
        Open
      </Menu.Item>
      <Menu.Item leftSection={<IconCornerUpLeft size={16} stroke={1.6} />} onClick={() => go(paths.releaseReply(m.id, paths.intake()))}>
        Reply
      </Menu.Item>
      <Menu.Item leftSection={<IconCornerUpRight size={16} stroke={1.6} />} onClick={() => go(paths.releaseForward(m.id, paths.intake()))}>
        Forward
      </Menu.Item>
      <Menu.Item leftSection={<IconUserPlus size={16} stroke={1.6} />} onClick={() => acts.assign({ ids: [m.id] })}>
        Assign
      </Menu.Item>
      <Menu.Item leftSection={<IconTag size={16} stroke={1.6} />} onClick={() => acts.type({ ids: [m.id] })}>
        Document type
      </Menu.Item>
      <Menu.Item leftSection={<IconFlag size={16} stroke={1.6} />} onClick={() => acts.turnUrgent({ ids: [m.id] })}>
        {m.isUrgent ? 'No longer urgent' : 'Mark as urgent'}
      </Menu.Item>
      {m.status !== 'Processed' && (
        <Menu.Item leftSection={<IconCheck size={16} stroke={1.6} />} onClick={() => acts.process({ ids: [m.id] })}>
          File
        </Menu.Item>
      )}
      {m.status !== 'Processed' && (
        <Menu.Item leftSection={<IconClock size={16} stroke={1.6} />} onClick={() => acts.snooze({ ids: [m.id] })}>
          Snooze
        </Menu.Item>
      )}
      <Menu.Item leftSection={<IconFileExport size={16} stroke={1.6} />} onClick={() => acts.exportFiles({ ids: [m.id] })}>
        Export
      </Menu.Item>
      <Menu.Item leftSection={<IconPrinter size={16} stroke={1.6} />} onClick={() => acts.print({ ids: [m.id] })}>
        Print
      </Menu.Item>
      <Menu.Divider />
      <Menu.Item data-danger leftSection={<IconTrash size={16} stroke={1.6} />} onClick={onDelete}>
        Delete
      </Menu.Item>
    </>
  );
}
