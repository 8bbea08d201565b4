import './dashboard.css';
import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { IconAlertTriangle, IconClockHour4, IconId, IconInbox, IconMailOpened, IconRefresh, IconSend2 } from '@tabler/icons-react';
import { api, quiet } from '@/api/client';
import { queryOf, refresh } from '@/api/query';
import type { MessagingHealth, OpenUpgradeRequest } from '@/api/types';
import { useHasRole } from '@/app/session';
import { formatCount, formatDateTime, formatSince, formatWhen } from '@/shared/format';
import { paths } from '@/shared/paths';
import { AppLink, useGo } from '@/shared/ui/AppLink';
import { useAsk } from '@/shared/ui/AskDialog';
import { ErrorState, Notice } from '@/shared/ui/blocks';
import { PageHead } from '@/shared/ui/PageHead';
import type { Icon } from '@/shared/ui/states';
import { Channels } from './Channels';
import { NodeHealth } from './NodeHealth';

/** Interval between reads of the figures while the page is open. */
const EVERY_MS = 10_000;
const CAP = 10_000;
const count = (n: number) => formatCount(n, n >= CAP);

/** The landing page of operators: the state of messaging, and their waiting work. */
export function MessagingDashboard() {
  const go = useGo();
  const canManage = useHasRole('SysAdmin');
  const query = useQuery({
    ...queryOf('get', '/api/admin/dashboard/messaging', { ...quiet }),
    refetchInterval: EVERY_MS,
    meta: { page: true },
  });
  return (
    <>
      <PageHead
        title="Messaging health"
        actions={
          <Button variant="default" onClick={() => go(paths.adminRuns())}>
            Open workflows
          </Button>
        }
      />
      <div className="cp-scroll">
        {query.error && !query.data && (
          <ErrorState title="The figures could not be loaded" error={query.error} onRetry={() => void query.refetch()} />
        )}
        {!query.error && !query.data && (
          <div className="dash-loading" role="status" aria-label="Loading">
            <div className="cp-bone" style={{ width: '60%' }} />
          </div>
        )}
        {query.data && <Health health={query.data} canManage={canManage} />}
        <Channels />
        <NodeHealth />
        {canManage && <ToActivate />}
        {canManage && <UpgradeRequests />}
      </div>
    </>
  );
}

type FigureProps = { icon: Icon; label: string; value: string; note?: string; isBad?: boolean; href?: string };

function Figure({ icon: IconOf, label, value, note, isBad, href }: FigureProps) {
  return (
    <div className="cp-stat">
      <div className="cp-row cp-figurelabel cp-second">
        <IconOf size={16} stroke={1.6} aria-hidden />
        {label}
      </div>
      <div className="v cp-num" data-bad={isBad || undefined}>
        {href ? (
          <AppLink className="cp-link" href={href}>
            {value}
          </AppLink>
        ) : (
          value
        )}
      </div>
      {note && <div className="cp-second cp-num">{note}</div>}
    </div>
  );
}

const since = (iso: string | null | undefined) => (iso ? `oldest ${formatSince(iso)}` : undefined);

function Health({ health: h, canManage }: { health: MessagingHealth; canManage: boolean }) {
  return (
    <>
      <section className="cp-greeting" aria-label="State">
        <h2>{h.isBehind ? 'Work is waiting' : 'Messages are moving'}</h2>
        {h.isBehind ? (
          <Notice kind="warning">
            Work has been due since {formatDateTime(h.oldestWaitingDate)} and no worker has taken it. Please check that all nodes are
            running.
          </Notice>
        ) : (
          <p className="cp-second">Workers take due work at once. Message content stays with the organizations.</p>
        )}
      </section>
      <section className="cp-row cp-figures" aria-label="Waiting">
        <Figure
          icon={IconClockHour4}
          label="Due and waiting"
          value={count(h.waitingSteps)}
          note={since(h.oldestWaitingDate)}
          isBad={h.isBehind}
        />
        <Figure icon={IconRefresh} label="Waiting for a retry" value={count(h.retriedSteps)} />
        <Figure icon={IconMailOpened} label="Mails to open" value={count(h.unopenedMails)} note={since(h.oldestUnopenedDate)} />
        <Figure icon={IconAlertTriangle} label="Failed permanently" value={count(h.failedWorkflows)} isBad={h.failedWorkflows > 0} />
      </section>
      <section className="cp-row cp-figures" aria-label="The last 24 hours">
        <Figure icon={IconInbox} label="Received in 24 hours" value={count(h.messagesReceived)} />
        <Figure icon={IconSend2} label="Delivered in 24 hours" value={count(h.deliveries)} />
        <Figure
          icon={IconAlertTriangle}
          label="Failed deliveries in 24 hours"
          value={count(h.failedDeliveries)}
          isBad={h.failedDeliveries > 0}
        />
        <Figure icon={IconInbox} label="Unread in all Intakes" value={count(h.unreadMessages)} />
        <Figure
          icon={IconId}
          label="Photo IDs to review"
          value={count(h.documentsToReview)}
          href={canManage ? paths.adminProofing : undefined}
        />
      </section>
    </>
  );
}

/** Proven organizations. An operator submits their domain to the address book and activates them. */
function ToActivate() {
  const waiting = useQuery(queryOf('get', '/api/admin/organizations/toactivate'));
  if (waiting.error && !waiting.data)
    return (
      <ErrorState title="The organizations to activate could not be loaded" error={waiting.error} onRetry={() => void waiting.refetch()} />
    );
  return (
    <section className="dash-part" aria-labelledby="to-activate">
      <h2 id="to-activate">Verified, to be submitted to the address book and activated</h2>
      {waiting.data?.items.length === 0 && <p className="cp-second">No organization is waiting.</p>}
      <ul className="cp-plainlist dash-requests" aria-busy={!waiting.data}>
        {waiting.data?.items.map((o) => (
          <li key={o.organizationId} className="cp-row">
            <div className="cp-grow">
              <AppLink className="cp-link cp-strong" href={paths.adminOrganizations({ search: o.organizationName })}>
                {o.organizationName}
              </AppLink>
              <span className="cp-block cp-second">
                {o.directDomain} · verified {formatWhen(o.idProofedDate)}
              </span>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Organizations that have asked for a larger plan. */
function UpgradeRequests() {
  const client = useQueryClient();
  const requests = useQuery(queryOf('get', '/api/admin/upgraderequests'));
  const [ask, question] = useAsk();
  const settle = (request: OpenUpgradeRequest) =>
    ask({
      title: 'Remove Request',
      subject: request.organizationName,
      question: 'The request leaves the list. The plan does not change: you change it in the organization. Are you sure?',
      label: 'Remove',
      run: async () => {
        await api.DELETE('/api/admin/upgraderequests/{organizationId}', { params: { path: { organizationId: request.organizationId } } });
        await refresh(client, '/api/admin/upgraderequests', '/api/admin/dashboard/messaging');
      },
      done: 'The request was removed.',
      failed: 'The request could not be removed. Please try again.',
    });
  if (requests.error && !requests.data)
    return <ErrorState title="The plan requests could not be loaded" error={requests.error} onRetry={() => void requests.refetch()} />;
  return (
    <section className="dash-part" aria-labelledby="upgrade-requests">
      <h2 id="upgrade-requests">Requests for a larger plan</h2>
      {requests.data?.items.length === 0 && <p className="cp-second">No organization has requested one.</p>}
      <ul className="cp-plainlist dash-requests" aria-busy={!requests.data}>
        {requests.data?.items.map((request) => (
          <li key={request.organizationId} className="cp-row">
            <div className="cp-grow">
              <AppLink className="cp-link cp-strong" href={paths.adminOrganization(request.organizationId)}>
                {request.organizationName}
              </AppLink>
              <span className="cp-block cp-second">
                {[`Has ${request.planName}`, request.askedBy, request.askedByEmail, formatWhen(request.requestedDate)]
                  .filter(Boolean)
                  .join(' · ')}
              </span>
            </div>
            <Button variant="default" onClick={() => settle(request)} aria-label={`Remove the request of ${request.organizationName}`}>
              Done
            </Button>
          </li>
        ))}
      </ul>
      {question}
    </section>
  );
}
