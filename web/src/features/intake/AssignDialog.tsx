import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { assignableQuery } from '@/domain/messaging/api';
import { plural } from '@/shared/format';
import { ListSelect } from '@/shared/form/inputs';
import { Dialog } from '@/shared/ui/Dialog';

type Props = { count: number; opened: boolean; busy: boolean; onClose: () => void; onAssign: (userId: string | null) => void };

/** Assigns messages to a user, or to nobody. */
export function AssignDialog({ count, opened, busy, onClose, onAssign }: Props) {
  const people = useQuery({ ...assignableQuery, enabled: opened });
  const [person, setPerson] = useState<string | null>(null);
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      title={`Assign ${plural(count, 'message')}`}
      size={460}
      footer={
        <>
          <div className="cp-grow" />
          <Button size="md" variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button size="md" loading={busy} onClick={() => onAssign(person)}>
            {person ? 'Assign' : 'Leave unassigned'}
          </Button>
        </>
      }
    >
      <ListSelect
        label="Reviewer"
        placeholder="Nobody"
        data-autofocus
        size="md"
        data={(people.data ?? []).map((p) => ({ value: p.id, label: p.name }))}
        value={person}
        onChange={setPerson}
      />
    </Dialog>
  );
}
