import { Checkbox } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { Message, Proposals } from '@/api/types';
import { assignableQuery, assignMessage, useMessageChanged } from '@/domain/messaging/api';
import { NO_USERS } from '@/domain/messaging/rules';
import { ListSelect } from '@/shared/form/inputs';
import { ChoicesFailed } from '@/shared/ui/blocks';
import { Proposal } from './Proposal';

type Props = { message: Message; proposed?: Proposals['assignee']; size?: 'sm' | 'md' };

/** The assignment of the message. Urgency requires a reviewer and is removed without one. */
export function AssignmentPane({ message, proposed, size = 'sm' }: Props) {
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
      {proposed && !current && !message.isProcessed && (
        <Proposal
          what="Reviewer"
          name={proposed.person.name}
          ending="went to them"
          because={proposed.because}
          disabled={assign.isPending}
          onTake={() => assign.mutate({ userId: proposed.person.id, urgent: Boolean(message.isUrgent) })}
        />
      )}
      <ChoicesFailed of={[people]} />
      <div className={size === 'sm' ? 'cp-grid2 cp-dense' : 'cp-grid2 m-form'}>
        <ListSelect
          size={size}
          label="Reviewer"
          placeholder="Unassigned"
          nothingFoundMessage={people.isPending ? 'Loading' : NO_USERS}
          data={all.map((p) => ({ value: p.id, label: p.name }))}
          value={current?.id ?? null}
          // A disabled field would lose the focus.
          readOnly={assign.isPending}
          onChange={(userId) => assign.mutate({ userId, urgent: Boolean(userId) && Boolean(message.isUrgent) })}
        />
        <div className="cp-urgentbox">
          <Checkbox
            label="Urgent"
            checked={Boolean(message.isUrgent)}
            disabled={!current && !message.isUrgent}
            onChange={(e) => !assign.isPending && assign.mutate({ userId: current?.id ?? null, urgent: e.currentTarget.checked })}
          />
        </div>
      </div>
    </section>
  );
}
