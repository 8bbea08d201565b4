import '@/shared/table/cards.css';
import { Menu, UnstyledButton } from '@mantine/core';
import { IconPencil, IconRefresh, IconTrash, IconUsers } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { EhrConnection } from '@/api/types';
import { formatSince, formatWhen, plural } from '@/shared/format';
import { type Column, DataTable } from '@/shared/table/DataTable';
import { ErrorState } from '@/shared/ui/blocks';
import { Status } from '@/shared/ui/status';
import { useViewport } from '@/shared/useViewport';
import { CapabilityChips } from './MayDo';
import { More } from './Trouble';
import type { Tests } from './useTests';
import { doneWith, hasPeople, STATES } from './words';

/** Nobody has called the EHR yet. */
const isUntested = ({ state, offered, answeredAt }: EhrConnection) => state === 'Connected' && offered.length === 0 && !answeredAt;

function State({ connection }: { connection: EhrConnection }) {
  const { state, text } = STATES[connection.state];
  if (isUntested(connection)) return <Status state="Inactive">Not tested</Status>;
  return <Status state={state}>{text}</Status>;
}

function stateText(connection: EhrConnection) {
  const { state, failingSince, filedLastWeek, integrationType } = connection;
  if (state === 'Failing') return failingSince ? formatSince(failingSince) : '';
  if (state === 'Off') return integrationType === 'WebService' ? 'Nothing is sent' : 'Nothing is looked up or filed';
  if (state === 'NotAllowed') return 'Please ask the operator';
  if (isUntested(connection)) return 'A test shows what it may do';
  return `${plural(filedLastWeek, 'document')} ${doneWith(integrationType)} in 7 days`;
}

/** When an EHR with HL7 v2 last reported something. */
function toldText({ integrationType, toldAt }: EhrConnection) {
  if (integrationType !== 'Hl7') return '';
  return toldAt ? `Last message ${formatWhen(toldAt)}` : 'No message yet';
}

const columnsOf = (kind: (connection: EhrConnection) => string): Column<EhrConnection>[] => [
  {
    key: 'name',
    title: 'Connection',
    primary: true,
    render: (connection) => (
      <>
        <span className="int-name">{connection.name}</span>
        <span className="int-line cp-second">{kind(connection)}</span>
        {connection.baseUrl && <span className="int-line cp-second cp-mono int-address">{connection.baseUrl}</span>}
      </>
    ),
  },
  { key: 'mayDo', title: 'May do', width: 280, render: ({ offered, unused }) => <CapabilityChips {...{ offered, unused }} /> },
  {
    key: 'state',
    title: 'State',
    width: 190,
    render: (connection) => (
      <>
        <State connection={connection} />
        <span className="int-line cp-second">{stateText(connection)}</span>
        <span className="int-line cp-second">{toldText(connection)}</span>
      </>
    ),
  },
];

type Props = {
  /** Those that match, the failing ones first; undefined while they load. */
  connections: EhrConnection[] | undefined;
  error: unknown;
  onRetry: () => void;
  kind: (connection: EhrConnection) => string;
  tests: Tests;
  empty: ReactNode;
  /** One is open, and has the key that tests. */
  isEditing: boolean;
  onOpen: (connection: EhrConnection) => void;
  onTest: (connection: EhrConnection) => void;
  onDelete: (connection: EhrConnection) => void;
  onPeople: (connection: EhrConnection) => void;
};

const ERROR = 'The connections could not be loaded';

/** The connections of the organization: a table, or cards on phones. */
export function ConnectionList(props: Props) {
  const { isPhone } = useViewport();
  return isPhone ? <Cards {...props} /> : <Rows {...props} />;
}

const moreOf = ({ tests, onTest }: Props, connection: EhrConnection) => (
  <More
    connection={connection}
    isTesting={tests.of(connection.id)?.isRunning ?? false}
    onTest={connection.state === 'NotAllowed' ? undefined : () => onTest(connection)}
  />
);

function Rows(props: Props) {
  const { connections, isEditing, onOpen, onTest, onDelete, onPeople } = props;
  // Failing ones say why without being asked.
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set());
  const isExpanded = ({ id, state }: EhrConnection) => (state === 'Failing') !== turned.has(id);
  const expanded = new Set(connections?.filter(isExpanded).map(({ id }) => id));
  const setExpanded = (ids: ReadonlySet<string>) =>
    setTurned(new Set(connections?.filter(({ id, state }) => (state === 'Failing') !== ids.has(id)).map(({ id }) => id)));
  return (
    <DataTable
      label="Connections"
      columns={columnsOf(props.kind)}
      rows={connections}
      rowId={({ id }) => id}
      rowName={({ name }) => name}
      error={props.error}
      errorTitle={ERROR}
      onRetry={props.onRetry}
      empty={props.empty}
      onOpen={onOpen}
      rowKeys={(row) =>
        isEditing || !row || row.state === 'NotAllowed' ? [] : [{ keys: 't', label: 'Test the connection', run: () => onTest(row) }]
      }
      detail={(connection) => moreOf(props, connection)}
      expansion={{ ids: expanded, onChange: setExpanded }}
      isMuted={({ isActive }) => !isActive}
      rowMenu={(connection) => (
        <>
          <Menu.Label>{connection.name}</Menu.Label>
          <Menu.Item leftSection={<IconPencil size={16} stroke={1.6} />} onClick={() => onOpen(connection)}>
            Edit
          </Menu.Item>
          {connection.state !== 'NotAllowed' && (
            <Menu.Item leftSection={<IconRefresh size={16} stroke={1.6} />} onClick={() => onTest(connection)}>
              Test
            </Menu.Item>
          )}
          {hasPeople(connection) && (
            <Menu.Item leftSection={<IconUsers size={16} stroke={1.6} />} onClick={() => onPeople(connection)}>
              People
            </Menu.Item>
          )}
          <Menu.Divider />
          <Menu.Item data-danger leftSection={<IconTrash size={16} stroke={1.6} />} onClick={() => onDelete(connection)}>
            Delete
          </Menu.Item>
        </>
      )}
    />
  );
}

function Cards(props: Props) {
  const { connections, error, onRetry, empty, onOpen } = props;
  if (error && !connections) return <ErrorState title={ERROR} error={error} onRetry={onRetry} />;
  if (connections?.length === 0) return empty;
  return (
    <ul className="cp-scroll cp-cards" aria-label="Connections" aria-busy={!connections}>
      {connections?.map((connection) => (
        <li key={connection.id} className="cp-cardrow" data-muted={!connection.isActive || undefined}>
          <UnstyledButton className="cp-card" onClick={() => onOpen(connection)}>
            <span className="cp-row">
              <span className="cp-ell cp-grow cp-strong">{connection.name}</span>
              <State connection={connection} />
            </span>
            <span className="cp-second int-address">{[props.kind(connection), connection.baseUrl].filter(Boolean).join(' · ')}</span>
            <span className="cp-second">{[stateText(connection), toldText(connection)].filter(Boolean).join(' · ')}</span>
            <CapabilityChips offered={connection.offered} unused={connection.unused} />
          </UnstyledButton>
          {connection.state === 'Failing' && <div className="cp-carddetail">{moreOf(props, connection)}</div>}
        </li>
      ))}
      {!connections &&
        Array.from({ length: 4 }, (_, i) => (
          <li key={String(i)} className="cp-card" aria-hidden>
            <div className="cp-bone" style={{ width: '60%' }} />
            <div className="cp-bone" style={{ width: '40%' }} />
          </li>
        ))}
    </ul>
  );
}
