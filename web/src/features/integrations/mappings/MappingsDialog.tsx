import { Button, Tabs } from '@mantine/core';
import { useState } from 'react';
import type { ChartConnection, EhrConnection } from '@/api/types';
import { isLoginRequired } from '@/domain/charts/api';
import { ChartFailure } from '@/domain/charts/ChartFailure';
import { useExternalLogin } from '@/domain/charts/useExternalLogin';
import { notify } from '@/shared/notify';
import { plural } from '@/shared/format';
import { useRun } from '@/shared/ui/AskDialog';
import { Notice } from '@/shared/ui/blocks';
import { Dialog } from '@/shared/ui/Dialog';
import { LeaveGuard } from '@/shared/ui/LeaveGuard';
import { useDiscard } from '@/shared/ui/useDiscard';
import { MappingList } from './MappingList';
import { type Kind, type Mappings, useMappings } from './useMappings';

/** The connection as the screens of staff know it. */
const chartOf = ({ id, offered, unused, ...connection }: EhrConnection): ChartConnection => ({
  ...connection,
  integrationId: id,
  capabilities: offered.filter((capability) => !unused.includes(capability)),
  needsLogin: false,
});

const TABS: { kind: Kind; title: string; capability: 'reviewerLookup' | 'reviewerGroupLookup' }[] = [
  { kind: 'Person', title: 'People', capability: 'reviewerLookup' },
  { kind: 'Group', title: 'Groups', capability: 'reviewerGroupLookup' },
];

/** Saves, after a sign-in at the EHR if one is needed. */
function useSaving(chart: ChartConnection, mappings: Mappings, onSaved: () => void) {
  const login = useExternalLogin();
  const save = async () => {
    await mappings.save();
    notify('success', 'The people of the EHR were saved.');
    onSaved();
  };
  const request = useRun({
    run: async () => {
      try {
        await save();
      } catch (error) {
        if (!isLoginRequired(error)) throw error;
        await login.guard({ ...chart, needsLogin: true }, save);
      }
    },
    failed: 'The people of the EHR could not be saved. Please try again.',
  });
  return { save: () => request.mutate(), isSaving: request.isPending, dialog: login.dialog };
}

type Props = { connection: EhrConnection; onClose: () => void };

/** Who the people and groups of an EHR are here. */
export function MappingsDialog({ connection, onClose }: Props) {
  const chart = chartOf(connection);
  const mappings = useMappings(connection.id);
  const { changed } = mappings;
  const isDirty = changed.length > 0;
  const saving = useSaving(chart, mappings, onClose);
  const [discard, question] = useDiscard();
  const close = () => {
    if (!isDirty) return onClose();
    discard({
      what: 'your changes',
      subject: `People of ${connection.name}`,
      lost: 'Your changes here are lost.',
      run: async () => onClose(),
    });
  };
  return (
    <Dialog
      opened
      onClose={close}
      title={`People of ${connection.name}`}
      staysOnOutsideClick={isDirty}
      onSubmitKey={() => isDirty && !saving.isSaving && saving.save()}
      footer={
        <>
          <span className="cp-second cp-grow" role="status">
            {isDirty && plural(changed.length, 'change')}
          </span>
          <Button size="md" variant="default" onClick={close}>
            {isDirty ? 'Cancel' : 'Close'}
          </Button>
          <Button size="md" disabled={!isDirty} loading={saving.isSaving} onClick={saving.save}>
            Save
          </Button>
        </>
      }
    >
      <Content chart={chart} mappings={mappings} />
      <LeaveGuard isDirty={() => isDirty} subject={`People of ${connection.name}`} />
      {saving.dialog}
      {question}
    </Dialog>
  );
}

function Content({ chart, mappings }: { chart: ChartConnection; mappings: Mappings }) {
  const { query, items, isCut } = mappings;
  const [kind, setKind] = useState<Kind>();
  if (query.error && !query.data && !query.isFetching)
    return (
      <ChartFailure
        connection={chart}
        title="The people of the EHR could not be loaded"
        error={query.error}
        onRetry={() => void query.refetch()}
      />
    );
  if (!query.data)
    return (
      <p className="cp-second cp-row" role="status">
        <span className="cp-spin" aria-hidden /> Reading the people of the EHR…
      </p>
    );
  const of = (wanted: Kind) => items.filter((item) => item.kind === wanted);
  const tabs = TABS.filter((tab) => chart.capabilities.includes(tab.capability) || of(tab.kind).length > 0);
  return (
    <>
      <p className="cp-question">If a message is assigned to somebody who is known here, that reviewer is proposed for the chart.</p>
      {isCut && <Notice kind="warning">The EHR has more people than can be read. Those who are missing here cannot be chosen.</Notice>}
      <Tabs value={kind ?? tabs[0]?.kind ?? null} onChange={(next) => setKind(next as Kind)} keepMounted={false}>
        <Tabs.List>
          {tabs.map((tab) => (
            <Tabs.Tab key={tab.kind} value={tab.kind}>
              {tab.title} <span className="cp-muted cp-num">{of(tab.kind).length}</span>
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map((tab) => (
          <Tabs.Panel key={tab.kind} value={tab.kind}>
            <MappingList title={tab.title} kind={tab.kind} items={of(tab.kind)} mappings={mappings} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  );
}
