import './integrations.css';
import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { IconAlertTriangle, IconPlugConnected, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { refresh } from '@/api/query';
import type { ConnectionKind, ConnectionType, EhrConnection } from '@/api/types';
import { Keys, useShortcuts } from '@/shared/shortcuts';
import { ChoiceFilter, SearchInput } from '@/shared/table/filters';
import { NEW } from '@/shared/table/listSearch';
import { useListState } from '@/shared/table/useListState';
import { useAsk } from '@/shared/ui/AskDialog';
import { ChoicesFailed, EmptyState, Notice } from '@/shared/ui/blocks';
import { PageHead } from '@/shared/ui/PageHead';
import { useDiscard } from '@/shared/ui/useDiscard';
import { useViewport } from '@/shared/useViewport';
import { connectionsQuery, deleteConnection, LIST, typesQuery } from './api';
import { ConnectionList } from './ConnectionList';
import { Editor } from './Editor';
import { KindDialog } from './KindDialog';
import { MappingsDialog } from './mappings/MappingsDialog';
import type { News } from './useEditor';
import { useTests } from './useTests';
import { countsText, doneWith, hasPeople, STATE_CHOICES } from './words';

/** How often the list is read while a connection fails: it may have been tried again. */
const POLL_MS = 30_000;

type List = ReturnType<typeof useListState>;

/** The address of a new connection of a kind, within the page. */
const newOf = (kind: ConnectionKind) => `${NEW}.${kind}`;

type Wanted = { words: string; state: string | undefined; kind: string | undefined };

const matches = ({ name, baseUrl, state, integrationType }: EhrConnection, { words, ...wanted }: Wanted) =>
  (!wanted.state || state === wanted.state) &&
  (!wanted.kind || integrationType === wanted.kind) &&
  words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => name.toLowerCase().includes(word) || baseUrl.toLowerCase().includes(word));

const none: ConnectionType[] = [];

function useConnections() {
  const query = useQuery({
    ...connectionsQuery,
    meta: { page: true },
    refetchInterval: ({ state }) => (state.data?.some(({ state: own }) => own === 'Failing') ? POLL_MS : false),
  });
  const kinds = useQuery(typesQuery);
  const types = kinds.data ?? none;
  const allowed = types.filter(({ isAllowed }) => isAllowed);
  return {
    query,
    kinds,
    types,
    allowed,
    // Known to be refused, rather than not known yet.
    isRefused: types.length > 0 && allowed.length === 0,
  };
}

/** The connection in the URL, which is left only after a question if it has unsaved changes. */
function useOpened(list: List) {
  const [unsaved, setUnsaved] = useState<{ name: string; forget: () => void } | null>(null);
  const [discard, question] = useDiscard();
  const show = (id: string | undefined) => {
    if (id !== undefined && id === list.edited) return;
    if (!unsaved) return list.edit(id);
    discard({
      what: 'your changes',
      subject: unsaved.name,
      lost: 'Your changes here are lost.',
      run: async () => {
        unsaved.forget();
        setUnsaved(null);
        list.edit(id);
      },
    });
  };
  return { show, setUnsaved, question };
}

function useDeleting(list: List) {
  const client = useQueryClient();
  const [ask, question] = useAsk();
  const askDelete = ({ id, name, waiting, integrationType }: EhrConnection) => {
    const done = doneWith(integrationType);
    const [stays, keys] = {
      Fhir: ['Filed documents stay in the chart.', ' Its keys are deleted.'],
      Hl7: ['Filed documents stay in the chart.', ''],
      WebService: ['Sent documents stay there.', ''],
    }[integrationType];
    ask({
      title: 'Delete connection',
      subject: name,
      question: `${stays} ${
        waiting > 0
          ? `${waiting === 1 ? 'The document that waits is' : `The ${waiting} documents that wait are`} not ${done}.`
          : `Nothing waits to be ${done}.`
      }${keys} Are you sure?`,
      label: 'Delete',
      danger: true,
      run: async () => {
        await deleteConnection(id);
        if (list.edited === id) list.edit(undefined);
        await refresh(client, LIST);
      },
      done: 'The connection was deleted.',
      failed: 'The connection could not be deleted. Please try again.',
    });
  };
  return [askDelete, question] as const;
}

function Empty({ list, isFiltered }: { list: List; isFiltered: boolean }) {
  if (!isFiltered)
    return (
      <EmptyState
        icon={IconPlugConnected}
        title="No connections yet"
        text="A connection to your EHR finds patients, visits and reviewers while documents are processed, and files them into the chart. Its administrator has the address and what else is needed."
      />
    );
  return (
    <EmptyState icon={IconPlugConnected} title="No connection matches" text="Try another search.">
      <Button variant="default" onClick={() => list.set({ search: undefined, state: undefined, kind: undefined } as object)}>
        Show all
      </Button>
    </EmptyState>
  );
}

function Bar({ list, types }: { list: List; types: ConnectionType[] }) {
  const { isPhone } = useViewport();
  return (
    <div className="cp-bar int-bar">
      <SearchInput
        label="Search connections"
        placeholder="Search by name or address"
        width={isPhone ? '100%' : 280}
        value={list.words}
        onChange={list.setSearch}
      />
      <ChoiceFilter
        single
        label="State"
        choices={STATE_CHOICES}
        value={[list.filter('state') ?? []].flat()}
        onChange={([value]) => list.setFilter('state', value)}
      />
      <ChoiceFilter
        single
        label="Kind"
        choices={types.map(({ integrationType, name }) => ({ value: integrationType, label: name }))}
        value={[list.filter('kind') ?? []].flat()}
        onChange={([value]) => list.setFilter('kind', value)}
      />
    </div>
  );
}

const NotAllowed = () => (
  <div className="int-notice">
    <Notice kind="warning">
      The operator of this installation has not allowed your organization to connect other systems. Please ask the operator to put it on the
      integrations whitelist.
    </Notice>
  </div>
);

function Head({ all, onAdd }: { all: EhrConnection[] | undefined; onAdd?: () => void }) {
  const failing = all?.filter(({ state }) => state === 'Failing').length ?? 0;
  return (
    <PageHead
      title="Integrations"
      beside={
        failing > 0 && (
          <span className="int-needs">
            <IconAlertTriangle size={15} stroke={1.8} aria-hidden />
            {failing === 1 ? '1 needs attention' : `${failing} need attention`}
          </span>
        )
      }
      actions={
        <Button leftSection={<IconPlus size={16} stroke={2} />} disabled={!onAdd} onClick={onAdd}>
          Add connection
        </Button>
      }
    />
  );
}

const Foot = ({ all }: { all: EhrConnection[] }) => (
  <div className="cp-foot cp-num">
    <span role="status" className="cp-grow">
      {countsText(all)}
    </span>
    <span className="cp-kbdhint" aria-hidden>
      <Keys of="Enter" /> opens <Keys of="t" /> tests <Keys of="?" /> all keys
    </span>
  </div>
);

/** The connections of the organization to EHRs and other systems. */
export function IntegrationsPage() {
  const list = useListState();
  const client = useQueryClient();
  const { isPhone } = useViewport();
  const { query, kinds, types, allowed, isRefused } = useConnections();
  const tests = useTests();
  const { show, setUnsaved, question } = useOpened(list);
  const [askDelete, deleteQuestion] = useDeleting(list);
  const [addedId, setAdded] = useState<string>();
  const [isChoosing, setChoosing] = useState(false);
  const [mapped, setMapped] = useState<EhrConnection | null>(null);
  const all = query.data;
  const wanted = { words: list.words, state: list.filter('state'), kind: list.filter('kind') };
  const opened = all?.find(({ id }) => id === list.edited);
  const typeOf = (kind: ConnectionKind | undefined) => types.find((type) => type.integrationType === kind);
  const newKind = allowed.find(({ integrationType }) => newOf(integrationType) === list.edited)?.integrationType;
  const kind = opened?.integrationType ?? newKind;
  const begin = (chosen: ConnectionKind) => {
    setChoosing(false);
    tests.forget(NEW);
    show(newOf(chosen));
  };
  const [only, ...others] = allowed;
  const add = only && (() => (others.length > 0 ? setChoosing(true) : begin(only.integrationType)));
  useShortcuts(add ? [{ keys: 'n', label: 'Add a connection', run: add }] : []);
  const onSaved = async (connection: EhrConnection, what: News) => {
    await refresh(client, LIST);
    if (what === 'added') {
      setAdded(connection.id);
      list.edit(connection.id);
    }
    // The EHR does not know a new key yet. Anything else is noted at the connection as its test finds it.
    const isKeyUnknown = what === 'rekeyed' || (what === 'added' && connection.authentication === 'KeyPair');
    if (typeOf(connection.integrationType)?.isAllowed !== false && !isKeyUnknown) tests.start(connection.id);
  };
  return (
    <>
      <Head all={all} onAdd={add} />
      {isRefused && <NotAllowed />}
      {kinds.isError && !kinds.data && (
        <div className="int-notice">
          <ChoicesFailed of={[kinds]} />
        </div>
      )}
      <Bar list={list} types={types} />
      <div className="cp-panes">
        <div className="cp-pane cp-grow int-list">
          <ConnectionList
            connections={all?.filter((connection) => matches(connection, wanted))}
            error={query.error}
            onRetry={() => void query.refetch()}
            empty={<Empty list={list} isFiltered={Object.values(wanted).some(Boolean)} />}
            onOpen={({ id }) => show(id)}
            onTest={({ id }) => {
              show(id);
              tests.start(id);
            }}
            onDelete={askDelete}
            onPeople={setMapped}
            isEditing={list.edited !== undefined}
            kind={({ integrationType }) => typeOf(integrationType)?.name ?? ''}
            tests={tests}
          />
          {!isPhone && all && all.length > 0 && <Foot all={all} />}
        </div>
        {list.edited && kind && all && (
          <Editor
            key={list.edited}
            saved={opened ?? null}
            kind={kind}
            type={typeOf(kind)}
            isNew={addedId === list.edited}
            onDirty={setUnsaved}
            onSaved={onSaved}
            onDelete={opened && (() => askDelete(opened))}
            onPeople={opened && hasPeople(opened) ? () => setMapped(opened) : undefined}
            onClose={() => show(undefined)}
            tests={tests}
          />
        )}
      </div>
      {isChoosing && <KindDialog types={allowed} onChoose={begin} onClose={() => setChoosing(false)} />}
      {mapped && <MappingsDialog connection={mapped} onClose={() => setMapped(null)} />}
      {question}
      {deleteQuestion}
    </>
  );
}
