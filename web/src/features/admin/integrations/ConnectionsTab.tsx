import { IconPlugConnected } from '@tabler/icons-react';
import { queryOf } from '@/api/query';
import type { ConnectedSystem, ConnectionKind } from '@/api/types';
import { CrudSection } from '@/shared/crud/CrudPage';
import { formatCount, formatDateTime, formatSince, formatTime, formatWhen } from '@/shared/format';
import { paths } from '@/shared/paths';
import { Status } from '@/shared/ui/status';
import { CONNECTED, nameOfKind } from './api';
import classes from './integrations.module.css';

const CONNECTIONS = '/api/admin/integrations/connections';

function State({ system: { isActive, failingSince } }: { system: ConnectedSystem }) {
  if (!isActive) return <Status state="Inactive">Off</Status>;
  if (failingSince) return <Status state="Failed">Failing {formatSince(failingSince)}</Status>;
  return <Status state="Active">Connected</Status>;
}

/** What is wrong and what to do about it, or its last answer. */
function stateText({ isActive, failingSince, problem, remedy, answeredAt, answerMilliseconds }: ConnectedSystem) {
  if (isActive && failingSince) return [problem, remedy].filter(Boolean).join(' ');
  if (!answeredAt) return 'No answer yet';
  const took = typeof answerMilliseconds === 'number' ? ` in ${formatCount(answerMilliseconds)} ms` : '';
  return `Last answer ${formatWhen(answeredAt)}${took}`;
}

/** The systems that organizations have connected: failing ones first. */
export const ConnectionsTab = () => (
  <CrudSection
    title="Connections"
    noun="connection"
    icon={IconPlugConnected}
    list={({ search, page, size, filter, flag }) =>
      queryOf('get', CONNECTIONS, {
        params: {
          query: {
            search,
            integrationType: filter('kind') as ConnectionKind | undefined,
            failing: flag('failing'),
            pageNumber: page,
            pageSize: size,
          },
        },
      })
    }
    columns={[
      { key: 'organization', title: 'Organization', primary: true, width: 220, text: (c) => c.organizationName },
      {
        key: 'name',
        title: 'Connection',
        width: 220,
        render: (c) => (
          <span className={classes.cell}>
            {c.name}
            <span className="cp-second cp-block">{nameOfKind(c.integrationType)}</span>
          </span>
        ),
      },
      {
        key: 'state',
        title: 'State',
        render: (c) => (
          <span className={classes.cell}>
            <State system={c} />
            <span className="cp-second cp-block">{stateText(c)}</span>
          </span>
        ),
      },
      { key: 'next', title: 'Next try', width: 110, drop: 2, numeric: true, text: (c) => (c.nextTryAt ? formatTime(c.nextTryAt) : '') },
      { key: 'waiting', title: 'Waiting', width: 90, numeric: true, text: (c) => formatCount(c.waiting) },
      { key: 'failed', title: 'Failed', width: 80, numeric: true, text: (c) => formatCount(c.failed) },
    ]}
    name={(c) => `${c.name} of ${c.organizationName}`}
    href={(c) => paths.adminOrganization(c.organizationId)}
    search="Search by organization"
    filters={[
      { name: 'kind', label: 'Kind', choices: CONNECTED },
      { name: 'failing', label: 'Only failing' },
    ]}
    isMuted={(c) => !c.isActive}
    badge={(c) => <State system={c} />}
    second={(c) => (
      <span>
        {c.name} · {nameOfKind(c.integrationType)} · {stateText(c)}
        {(c.waiting > 0 || c.failed > 0) && ` · ${formatCount(c.waiting)} waiting, ${formatCount(c.failed)} failed`}
      </span>
    )}
    detail={(c) => <Details system={c} />}
    words={{ emptyText: 'The EHRs and other systems that organizations connect appear here.' }}
  />
);

function Details({ system: { baseUrl, software, answeredAt, nextTryAt } }: { system: ConnectedSystem }) {
  const facts = [
    ['Address', baseUrl],
    ['Software', software],
    ['Last answer', answeredAt && formatDateTime(answeredAt)],
    ['Next try', nextTryAt && formatDateTime(nextTryAt)],
  ].filter(([, value]) => value);
  return (
    <dl className="cp-kv">
      {facts.map(([label, value]) => (
        <div key={label} className={classes.fact}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
