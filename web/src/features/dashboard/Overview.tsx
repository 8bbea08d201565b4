import { queryOptions, useQuery } from '@tanstack/react-query';
import { IconCheck, IconUsers } from '@tabler/icons-react';
import type { CSSProperties } from 'react';
import { queryOf } from '@/api/query';
import type { Dashboard, ReleaseItem } from '@/api/types';
import { useProfile } from '@/app/session';
import { formatCount, formatWhen } from '@/shared/format';
import { now } from '@/shared/clock';
import { paths } from '@/shared/paths';
import { AppLink } from '@/shared/ui/AppLink';
import { ErrorState } from '@/shared/ui/blocks';
import { Chip } from '@/shared/ui/status';
import { ceilingOf, type Day, dayLabel, invitationsText, isLabelled, type Step, stepsOf, sumOf } from './traffic';

const dashboardQuery = (days: number) =>
  queryOptions({
    ...queryOf('get', '/api/account/dashboard', { params: { query: { days, utcOffset: -now().getTimezoneOffset() } } }),
    placeholderData: (before) => before,
    meta: { page: true },
  });

type Props = {
  days: number;
  failed: ReleaseItem[];
};

/** Traffic, users, and what needs attention. */
export function Overview({ days, failed }: Props) {
  const query = useQuery(dashboardQuery(days));
  if (query.error && !query.data)
    return <ErrorState title="The figures could not be loaded" error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data)
    return (
      <div className="dash-loading" role="status" aria-label="Loading">
        <div className="cp-bone" style={{ width: '60%' }} />
      </div>
    );
  const steps = stepsOf(query.data);
  return (
    <>
      {steps.length > 0 && <Steps steps={steps} />}
      <div className="dash-columns">
        <Traffic days={query.data.traffic} />
        <div>
          <People users={query.data.users} />
          <Attention users={query.data.users} failed={failed} />
        </div>
      </div>
    </>
  );
}

function Steps({ steps }: { steps: Step[] }) {
  const done = steps.filter((s) => s.done).length;
  return (
    <section className="dash-part" aria-labelledby="dash-steps">
      <div className="cp-row">
        <h2 id="dash-steps">Almost set up</h2>
        <span className="cp-second cp-num">
          {done} of {steps.length} steps done
        </span>
      </div>
      <ol className="dash-steps">
        {steps.map((s) => (
          <li key={s.title} data-done={s.done || undefined}>
            <span className="dash-mark" aria-hidden>
              {s.done && <IconCheck size={13} stroke={3} />}
            </span>
            <span className="cp-block cp-strong">
              {s.title}
              <span className="cp-hidden">{s.done ? ', done' : ', open'}</span>
            </span>
            <span className="cp-block cp-second cp-num">{s.text}</span>
            {s.href && !s.done && (
              <AppLink className="cp-link" href={paths.userAdd}>
                Add a user
              </AppLink>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

const height = (n: number, ceiling: number): CSSProperties => ({ height: `${(n / ceiling) * 100}%` });

function Traffic({ days }: { days: Day[] }) {
  const ceiling = ceilingOf(days);
  const received = sumOf(days, 'received');
  const sent = sumOf(days, 'sent');
  return (
    <section className="dash-part" aria-labelledby="dash-traffic">
      <div className="cp-row">
        <h2 id="dash-traffic">Messages per day</h2>
        <div className="cp-grow" />
        <span className="dash-key cp-num" data-of="received">
          {formatCount(received)} received
        </span>
        <span className="dash-key cp-num" data-of="sent">
          {formatCount(sent)} sent
        </span>
      </div>
      <div className="dash-chart" aria-hidden>
        <div className="dash-scale cp-num">
          <span>{formatCount(ceiling)}</span>
          <span>0</span>
        </div>
        <div className="dash-bars">
          {days.map((d, i) => (
            <div key={d.date} className="dash-day" title={`${dayLabel(d.date)}: ${d.received} received, ${d.sent} sent`}>
              <div className="dash-pair">
                <span data-of="received" style={height(d.received, ceiling)} />
                <span data-of="sent" style={height(d.sent, ceiling)} />
              </div>
              <span className="dash-label cp-num">{isLabelled(i, days.length) ? dayLabel(d.date) : ''}</span>
            </div>
          ))}
        </div>
      </div>
      <table className="cp-hidden">
        <caption>Messages per day</caption>
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col">Received</th>
            <th scope="col">Sent</th>
          </tr>
        </thead>
        <tbody>
          {days.map((d) => (
            <tr key={d.date}>
              <th scope="row">{dayLabel(d.date)}</th>
              <td>{d.received}</td>
              <td>{d.sent}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function People({ users }: { users: Dashboard['users'] }) {
  const taken = users.active + users.invited;
  return (
    <section className="dash-part" aria-labelledby="dash-people">
      <div className="cp-row">
        <h2 id="dash-people">Users</h2>
        <div className="cp-grow" />
        <AppLink className="cp-link" href={paths.users()}>
          Manage users
        </AppLink>
      </div>
      <div className="cp-row dash-people">
        <IconUsers size={20} stroke={1.6} aria-hidden />
        <span className="dash-number cp-num">{formatCount(users.active)}</span>
        <span className="cp-second">
          active
          {users.allowedUsers >= 0 && `, ${taken} of ${users.allowedUsers} places taken`}
          {users.disabled > 0 && `, ${users.disabled} disabled`}
        </span>
      </div>
    </section>
  );
}

/** Problems that need attention; hidden without any. */
function Attention({ users, failed }: { users: Dashboard['users']; failed: ReleaseItem[] }) {
  const profile = useProfile();
  const isFull = users.allowedUsers >= 0 && users.active + users.invited >= users.allowedUsers;
  const items = [
    ...failed.map((m) => ({
      key: m.id,
      state: 'Failed',
      text: m.subject || 'No subject',
      more: formatWhen(m.createdDate),
      href: paths.releaseMessage(m.id),
    })),
    ...(profile.orgIsInGracePeriod
      ? [{ key: 'grace', state: 'Warn', text: 'Your subscription has ended', more: 'Renew it to continue.', href: paths.accountPlan }]
      : []),
    ...(users.invited > 0
      ? [{ key: 'invited', state: 'Waiting', text: invitationsText(users.invited), more: '', href: paths.users({ status: 'Invited' }) }]
      : []),
    ...(isFull
      ? [{ key: 'full', state: 'Warn', text: 'All places of your plan are taken', more: 'Choose a larger plan.', href: paths.accountPlan }]
      : []),
  ];
  return (
    <section className="dash-part" aria-labelledby="dash-attention">
      <h2 id="dash-attention">Needs attention</h2>
      {items.length === 0 ? (
        <p className="cp-second">Nothing needs your attention.</p>
      ) : (
        <ul className="dash-list">
          {items.map((item) => (
            <li key={item.key}>
              <AppLink className="dash-item" href={item.href}>
                <Chip state={item.state} />
                <span className="cp-ell cp-grow">{item.text}</span>
                {item.more && <span className="cp-muted cp-num">{item.more}</span>}
              </AppLink>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
