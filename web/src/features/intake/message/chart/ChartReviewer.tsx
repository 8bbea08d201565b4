import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconBulb, IconStethoscope } from '@tabler/icons-react';
import type { Attachment, ChartConnection } from '@/api/types';
import { identitiesQuery, reviewerGroupsQuery, reviewersQuery } from '@/domain/charts/api';
import { useShortcuts } from '@/shared/shortcuts';
import type { ChartPaneState } from './useChartPane';
import { useKeyHints } from './useKeyHints';

type Props = {
  connection: ChartConnection;
  chart: ChartPaneState;
  attachment: Attachment;
  /** To whom the message is assigned. */
  assigneeId: string | undefined;
  isShown: boolean;
  onOpen: () => void;
};

/** The person of the EHR to whom the message is assigned; nothing if that is not one alone. */
function useAssignee({ integrationId, capabilities }: ChartConnection, userId: string | undefined) {
  const { data } = useQuery({
    ...identitiesQuery(userId ?? ''),
    enabled: Boolean(userId) && capabilities.includes('reviewerLookup'),
  });
  const [only, ...others] = data?.filter((of) => of.kind === 'Person' && of.integrationId === integrationId) ?? [];
  return others.length === 0 ? only : undefined;
}

/** Who reviews the document in the EHR, by name: somebody chosen, or a proposal to take. */
export function ChartReviewer({ connection, chart, attachment, assigneeId, isShown, onOpen }: Props) {
  const choices = chart.ofChart(attachment);
  const { reviewerId, groupReviewerId, urgent } = choices;
  const { integrationId } = connection;
  const isOpen = !connection.needsLogin && !chart.note;
  const people = useQuery({ ...reviewersQuery(integrationId, ''), enabled: isOpen && Boolean(reviewerId), staleTime: 60_000 });
  const groups = useQuery({ ...reviewerGroupsQuery(integrationId), enabled: isOpen && Boolean(groupReviewerId), staleTime: 60_000 });
  const assignee = useAssignee(connection, assigneeId);
  const proposed = reviewerId || groupReviewerId ? undefined : assignee;
  const person = people.data?.find((p) => p.externalId === reviewerId);
  const group = groups.data?.find((g) => g.id === groupReviewerId);
  const known = assignee?.externalId === reviewerId ? assignee?.externalName : undefined;
  const names = [
    reviewerId && (person ? [person.firstName, person.lastName].filter(Boolean).join(' ') : (known ?? 'A reviewer')),
    groupReviewerId && (group?.groupName ?? 'A group'),
  ].filter(Boolean);
  return (
    <>
      {proposed && (
        <Proposed
          name={proposed.externalName}
          isShown={isShown}
          onTake={() => chart.review(attachment, { ...choices, reviewerId: proposed.externalId })}
        />
      )}
      <Button size="xs" variant="default" leftSection={<IconStethoscope size={15} stroke={1.6} />} onClick={onOpen}>
        {names.length > 0 ? `${names.join(', ')}${urgent ? ' · Urgent' : ''}` : 'Reviewer'}
      </Button>
    </>
  );
}

/** Filed only once it is taken. */
function Proposed({ name, isShown, onTake }: { name: string; isShown: boolean; onTake: () => void }) {
  const hasHints = useKeyHints();
  useShortcuts(isShown ? [{ keys: '3', label: 'The proposed reviewer', run: onTake, isOnce: true }] : []);
  return (
    <Button
      size="xs"
      variant="light"
      aria-keyshortcuts={hasHints ? '3' : undefined}
      leftSection={<IconBulb size={15} stroke={1.8} aria-hidden />}
      rightSection={
        hasHints && (
          <kbd className="cp-kbd" aria-hidden>
            3
          </kbd>
        )
      }
      onClick={onTake}
    >
      {name} (proposed)
    </Button>
  );
}
