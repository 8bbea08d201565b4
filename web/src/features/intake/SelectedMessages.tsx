import { Button } from '@mantine/core';
import { IconCheck, IconClock, IconFileExport, IconMailOpened, IconPrinter, IconTag, IconTrash, IconUserPlus } from '@tabler/icons-react';
import { SelectionBar } from '@/shared/table/useSelection';
import { idsOfList, SELECT_LIMIT } from './api';
import type { IntakeList } from './useIntakeList';
import type { ListActs, Meant } from './useListActs';

type Props = { intake: IntakeList; acts: ListActs; selected: Meant };

/** Actions on the selected messages. */
export function SelectedMessages({ intake: { selection, total, capped, body, optimized }, acts, selected }: Props) {
  return (
    <SelectionBar selection={selection} total={total} isCapped={capped} limit={SELECT_LIMIT} all={() => idsOfList(body, optimized)}>
      <Button variant="subtle" leftSection={<IconUserPlus size={16} stroke={1.6} />} onClick={() => acts.assign(selected)}>
        Assign
      </Button>
      <Button
        variant="subtle"
        leftSection={<IconCheck size={16} stroke={1.6} />}
        loading={acts.isBusy('process')}
        onClick={() => acts.process(selected)}
      >
        File
      </Button>
      <Button variant="subtle" leftSection={<IconTag size={16} stroke={1.6} />} onClick={() => acts.type(selected)}>
        Type
      </Button>
      <Button variant="subtle" leftSection={<IconClock size={16} stroke={1.6} />} onClick={() => acts.snooze(selected)}>
        Snooze
      </Button>
      <Button
        variant="subtle"
        leftSection={<IconMailOpened size={16} stroke={1.6} />}
        loading={acts.isBusy('read')}
        onClick={() => acts.markRead(selected)}
      >
        Mark as read
      </Button>
      <Button variant="subtle" leftSection={<IconFileExport size={16} stroke={1.6} />} onClick={() => acts.exportFiles(selected)}>
        Export
      </Button>
      <Button variant="subtle" leftSection={<IconPrinter size={16} stroke={1.6} />} onClick={() => acts.print(selected)}>
        Print
      </Button>
      <Button variant="subtle" color="red" leftSection={<IconTrash size={16} stroke={1.6} />} onClick={() => acts.remove(selected)}>
        Delete
      </Button>
    </SelectionBar>
  );
}
