import './charts.css';
import { Button, Checkbox, Tabs, Textarea, TextInput, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ChartChoices, ChartConnection, ChartReviewer, ChartReviewerGroup } from '@/api/types';
import { NO_USERS } from '@/domain/messaging/rules';
import { useDebounced } from '@/shared/debounce';
import { Dialog } from '@/shared/ui/Dialog';
import { reviewerGroupsQuery, reviewersQuery } from './api';
import { ChartList } from './ChartList';
import { type PickColumn, PickTable } from './PickTable';

export type ReviewChoice = Pick<ChartChoices, 'reviewerId' | 'groupReviewerId' | 'reviewerNote' | 'urgent'>;

const NOTE_MAX = 500;
const DELAY_MS = 300;

type Props = {
  connection: ChartConnection;
  selected: ReviewChoice;
  onSelect: (choice: ReviewChoice) => void;
  onRemove: () => void;
  onClose: () => void;
};

/** Urgency needs somebody who is told of it. */
const tidy = (choice: ReviewChoice): ReviewChoice => ({
  ...choice,
  urgent: Boolean(choice.urgent && (choice.reviewerId || choice.groupReviewerId)),
});

/** Who in the EHR reviews the document: a person, a group, or whoever of both is first. */
export function ReviewerLookupDialog({ connection, selected, onSelect, onRemove, onClose }: Props) {
  const [choice, setChoice] = useState<ReviewChoice>(selected);
  const set = (part: Partial<ReviewChoice>) => setChoice(tidy({ ...choice, ...part }));
  const has = (of: ReviewChoice) => Boolean(of.reviewerId || of.groupReviewerId);
  const note = choice.reviewerNote ?? '';
  const hasPeople = connection.capabilities.includes('reviewerLookup');
  const hasGroups = connection.capabilities.includes('reviewerGroupLookup');
  const startsInGroup = hasGroups && (!hasPeople || (selected.groupReviewerId && !selected.reviewerId));
  const finish = (act: () => void) => {
    act();
    onClose();
  };
  const select = () => has(choice) && finish(() => onSelect({ ...choice, reviewerNote: note.trim() || null }));
  return (
    <Dialog
      opened
      onClose={onClose}
      title={`Reviewer in ${connection.name}`}
      onSubmitKey={select}
      footer={
        <>
          <Button size="md" variant="default" disabled={!has(selected)} onClick={() => finish(onRemove)}>
            Remove
          </Button>
          <div className="cp-grow" />
          <Button size="md" variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button size="md" disabled={!has(choice)} onClick={select}>
            Select
          </Button>
        </>
      }
    >
      <div className="chart-review">
        <Tabs defaultValue={startsInGroup ? 'group' : 'reviewer'} keepMounted={false}>
          <Tabs.List>
            {hasPeople && <Tabs.Tab value="reviewer">Reviewer</Tabs.Tab>}
            {hasGroups && <Tabs.Tab value="group">Reviewer Group</Tabs.Tab>}
          </Tabs.List>
          {hasPeople && (
            <Tabs.Panel value="reviewer">
              <Reviewers
                connection={connection}
                chosen={choice.reviewerId}
                // Urgency was said of this person, not of a group.
                onChoose={(reviewerId) => set({ reviewerId, ...(!reviewerId && { urgent: false }) })}
              />
            </Tabs.Panel>
          )}
          {hasGroups && (
            <Tabs.Panel value="group">
              <Groups
                connection={connection}
                chosen={choice.groupReviewerId}
                onChoose={(groupReviewerId) => set({ groupReviewerId, ...(groupReviewerId && { urgent: false }) })}
              />
            </Tabs.Panel>
          )}
        </Tabs>
        <Textarea
          size="md"
          label="Notes"
          rows={3}
          maxLength={NOTE_MAX}
          value={note}
          onChange={(e) => set({ reviewerNote: e.currentTarget.value })}
          description={
            <span className="cp-num" aria-live="polite">
              Characters remaining: {NOTE_MAX - note.length}
            </span>
          }
          inputWrapperOrder={['label', 'input', 'description', 'error']}
        />
        <Checkbox
          label="Urgent"
          disabled={!has(choice)}
          checked={choice.urgent ?? false}
          onChange={(e) => set({ urgent: e.currentTarget.checked })}
        />
      </div>
    </Dialog>
  );
}

const PEOPLE: PickColumn<ChartReviewer>[] = [
  { key: 'lastName', title: 'Last name', primary: true, render: ({ lastName }) => lastName },
  { key: 'firstName', title: 'First name', render: ({ firstName }) => firstName },
  { key: 'username', title: 'Username', render: ({ username }) => username },
];
const GROUPS: PickColumn<ChartReviewerGroup>[] = [
  { key: 'groupName', title: 'Group name', primary: true, render: ({ groupName }) => groupName },
];

type ListProps = { connection: ChartConnection; chosen: string | null | undefined; onChoose: (id: string | null) => void };

const personName = ({ firstName, lastName }: ChartReviewer) => [lastName, firstName].filter(Boolean).join(', ');

function Reviewers({ connection, chosen, onChoose }: ListProps) {
  const [text, setText] = useState('');
  const query = useQuery(reviewersQuery(connection.integrationId, useDebounced(text.trim(), DELAY_MS)));
  return (
    <div className="chart-tab">
      <TextInput
        size="md"
        aria-label="Search reviewers"
        placeholder="Part of a name"
        autoComplete="off"
        maxLength={255}
        data-autofocus
        value={text}
        onChange={(e) => setText(e.currentTarget.value)}
      />
      <div className="chart-list">
        <ChartList connection={connection} query={query} failed="The reviewers could not be looked up" empty={NO_USERS}>
          {(rows) => (
            <PickTable
              label="Reviewers"
              columns={PEOPLE}
              rows={rows}
              rowId={({ externalId }) => externalId}
              rowName={personName}
              chosen={chosen ? [chosen] : []}
              onChoose={(person) => onChoose(person.externalId)}
            />
          )}
        </ChartList>
      </div>
      {chosen && <Clear onClick={() => onChoose(null)}>No reviewer</Clear>}
    </div>
  );
}

function Groups({ connection, chosen, onChoose }: ListProps) {
  const query = useQuery(reviewerGroupsQuery(connection.integrationId));
  return (
    <div className="chart-tab">
      <div className="chart-list">
        <ChartList connection={connection} query={query} failed="The groups could not be looked up" empty="No groups are available.">
          {(rows) => (
            <PickTable
              label="Reviewer groups"
              columns={GROUPS}
              rows={rows}
              rowId={({ id }) => id}
              rowName={({ groupName }) => groupName}
              chosen={chosen ? [chosen] : []}
              onChoose={({ id }) => onChoose(id)}
            />
          )}
        </ChartList>
      </div>
      {chosen && <Clear onClick={() => onChoose(null)}>No group</Clear>}
    </div>
  );
}

const Clear = ({ onClick, children }: { onClick: () => void; children: string }) => (
  <UnstyledButton className="cp-link" onClick={onClick}>
    {children}
  </UnstyledButton>
);
