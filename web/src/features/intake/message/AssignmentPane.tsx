import { Checkbox } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { Message } from '@/api/types';
import { assignableQuery, assignMessage, useMessageChanged } from '@/domain/messaging/api';
import { ListSelect } from '@/shared/form/inputs';

/** Who looks after the message. Urgent needs a reviewer; without one it goes. */
export function AssignmentPane({ message, size = 'sm' }: { message: Message; size?: 'sm' | 'md' }) {
  const people = useQuery(assignableQuery);
  const changed = useMessageChanged();
  const assign = useMutation({
    mutationFn: ({ userId, urgent }: { userId: string | null; urgent: boolean }) => assignMessage(message.id, userId, urgent),
    onSuccess: changed,
  });
  const current = message.assignedTo;
  const names = people.data ?? [];
  const all = current && !names.some((p) => p.id === current.id) ? [...names, current] : names;
  return (
    <section className="cp-sec" aria-labelledby="assignment-pane">
      <div className="cp-sec-h">
        <h2 id="assignment-pane">Assignment</h2>
      </div>
      <div className={size === 'sm' ? 'cp-grid2 cp-dense' : 'cp-grid2 m-form'}>
        <ListSelect
          size={size}
          label="Reviewer"
          placeholder="Unassigned"
          data={all.map((p) => ({ value: p.id, label: p.name }))}
          value={current?.id ?? null}
          disabled={assign.isPending}
          onChange={(userId) => assign.mutate({ userId, urgent: Boolean(userId) && Boolean(message.isUrgent) })}
        />
        <div className="cp-urgentbox">
          <Checkbox
            label="Urgent"
            checked={Boolean(message.isUrgent)}
            disabled={(!current && !message.isUrgent) || assign.isPending}
            onChange={(e) => assign.mutate({ userId: current?.id ?? null, urgent: e.currentTarget.checked })}
          />
        </div>
      </div>
    </section>
  );
}
