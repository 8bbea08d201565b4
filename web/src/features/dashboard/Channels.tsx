import { useQuery } from '@tanstack/react-query';
import { quiet } from '@/api/client';
import { $api } from '@/api/query';
import type { MessagingHealthChannel, SystemAlert } from '@/api/types';
import { formatCount, formatDateTime } from '@/shared/format';
import { paths } from '@/shared/paths';
import { AppLink } from '@/shared/ui/AppLink';
import { ErrorState } from '@/shared/ui/blocks';
import { Chip, Status } from '@/shared/ui/status';
import { barsOf, toneOf, toneOfAlert } from './channels';
import classes from './channels.module.css';

/** How often the figures are read while somebody looks. */
const EVERY_MS = 10_000;

/** What goes through each channel, and what is wrong at this moment. */
export function Channels() {
  const counts = useQuery({
    ...$api.queryOptions('get', '/api/diagnostics/messaging/messageCounts', { ...quiet }),
    refetchInterval: EVERY_MS,
  });
  const alerts = useQuery({
    ...$api.queryOptions('get', '/api/diagnostics/messaging/systemalerts', { ...quiet }),
    refetchInterval: EVERY_MS,
  });
  return (
    <div className="dash-columns">
      <section className="dash-part" aria-labelledby="channels">
        <h2 id="channels">Channels, 7 days</h2>
        {counts.error && !counts.data && (
          <ErrorState title="The channels could not be loaded" error={counts.error} onRetry={() => void counts.refetch()} />
        )}
        {counts.data && (
          <div className={classes.scroll} tabIndex={0} role="region" aria-label="Table of channels">
            <table className={classes.channels}>
              <thead>
                <tr>
                  {['Channel', 'State', 'Success', 'Failure', 'Other', 'Total', '7 days'].map((title) => (
                    <th key={title}>{title}</th>
                  ))}
                </tr>
              </thead>
              <Group title="Inbound" of={counts.data.inboundMessages} type="intake" />
              <Group title="Outbound" of={counts.data.outboundMessages} type="release" />
              <Group title="Results" of={counts.data.results} />
            </table>
          </div>
        )}
      </section>
      <section className="dash-part" aria-labelledby="alerts">
        <h2 id="alerts">System alerts</h2>
        {alerts.error && !alerts.data && (
          <ErrorState title="The alerts could not be loaded" error={alerts.error} onRetry={() => void alerts.refetch()} />
        )}
        {alerts.data?.items.length === 0 && <p className="cp-second">Nothing is wrong.</p>}
        <ul className="cp-plainlist" aria-label="Alerts">
          {alerts.data?.items.map((alert) => (
            <Alert key={alert.name} alert={alert} />
          ))}
        </ul>
      </section>
    </div>
  );
}

function Group({ title, of, type }: { title: string; of: MessagingHealthChannel[]; type?: 'intake' | 'release' }) {
  return (
    <tbody>
      <tr>
        <th colSpan={7} scope="rowgroup" className="cp-muted">
          {title}
        </th>
      </tr>
      {of.map((channel) => (
        <tr key={channel.name}>
          <th scope="row">{channel.name}</th>
          <td>{channel.state === 'Ok' ? <Status state="OK" /> : <Chip state={channel.state} />}</td>
          <td className="cp-num">{formatCount(channel.success)}</td>
          <td className="cp-num">
            {type && channel.failure > 0 ? (
              <AppLink className="cp-link" href={paths.adminRuns({ status: 'Failed', type, channel: channel.name.split(' ')[0] })}>
                {formatCount(channel.failure)}
              </AppLink>
            ) : (
              formatCount(channel.failure)
            )}
          </td>
          <td className="cp-num">{formatCount(channel.other)}</td>
          <td className="cp-num">{formatCount(channel.total)}</td>
          <td>
            <div className={classes.bars} role="img" aria-label={channel.dailyStats.map((day) => `${day.date}: ${day.value}`).join(', ')}>
              {barsOf(channel).map((height, n) => (
                <span
                  key={channel.dailyStats[n]!.date}
                  style={{ height: `${height}%` }}
                  data-tone={n === channel.dailyStats.length - 1 ? toneOf(channel.state) : undefined}
                />
              ))}
            </div>
          </td>
        </tr>
      ))}
    </tbody>
  );
}

function Alert({ alert }: { alert: SystemAlert }) {
  return (
    <li className={classes.alert}>
      <Chip state={alert.status} tone={toneOfAlert(alert.status)} />
      <span>
        <b className="cp-strong">{alert.name}</b>
        <span className="cp-block cp-second">
          {formatDateTime(alert.createdAt)}. {alert.advice}{' '}
          {alert.dataDogLink && (
            <a className="cp-link" href={alert.dataDogLink} target="_blank" rel="noreferrer">
              Open the monitoring
            </a>
          )}
        </span>
      </span>
    </li>
  );
}
