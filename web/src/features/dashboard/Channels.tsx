import { useQuery } from '@tanstack/react-query';
import { quiet } from '@/api/client';
import { queryOf } from '@/api/query';
import type { MessagingHealthChannel } from '@/api/types';
import { formatCount } from '@/shared/format';
import { paths } from '@/shared/paths';
import { AppLink } from '@/shared/ui/AppLink';
import { ErrorState } from '@/shared/ui/blocks';
import { Chip, Status } from '@/shared/ui/status';
import { Alerts } from './Alerts';
import { barsOf, toneOf } from './channels';
import classes from './channels.module.css';

/** Interval between reads of the figures while the page is open. */
const EVERY_MS = 10_000;

/** The traffic of each channel, beside the current alerts. */
export function Channels() {
  const counts = useQuery({
    ...queryOf('get', '/api/diagnostics/messaging/messageCounts', { ...quiet }),
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
      <Alerts />
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
