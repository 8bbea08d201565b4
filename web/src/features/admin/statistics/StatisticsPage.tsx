import '../admin.css';
import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { quiet } from '@/api/client';
import { queryOf } from '@/api/query';
import type { TrafficStats } from '@/api/types';
import { formatCount, formatSince, formatTime, plural } from '@/shared/format';
import { ErrorState } from '@/shared/ui/blocks';
import { PageHead } from '@/shared/ui/PageHead';
import { Status } from '@/shared/ui/status';
import { lineOf } from './rules';
import classes from './statistics.module.css';

/** Interval between reads of the figures while the page is open. */
const EVERY_MS = 30_000;
/** The charts also show the same number of hours before the requested ones. */
const shown = (hours: number) => `last ${plural(2 * hours, 'hour')}`;
const HOURS = [1, 3, 6, 12, 24].map((n) => ({ value: String(n), label: `The ${shown(n)}` }));

/** The state of the nodes, and the throughput of the last hours. */
export function StatisticsPage() {
  const [hours, setHours] = useState('1');
  return (
    <>
      <PageHead
        title="Statistics"
        actions={<Select aria-label="Hours" data={HOURS} value={hours} allowDeselect={false} onChange={(v) => setHours(v ?? '1')} />}
      />
      <div className={`adm-body ${classes.body}`}>
        <Traffic hours={Number(hours)} />
        <Workers />
      </div>
    </>
  );
}

function Traffic({ hours }: { hours: number }) {
  const { data, error, refetch } = useQuery({
    ...queryOf('get', '/api/diagnostics/stats', { params: { query: { hours } }, ...quiet }),
    refetchInterval: EVERY_MS,
    meta: { page: true },
  });
  if (error && !data) return <ErrorState title="The statistics could not be loaded" error={error} onRetry={() => void refetch()} />;
  return (
    <section aria-label="Messages and conversion time">
      <h2>{`Messages and conversion time, the ${shown(hours)}`}</h2>
      {!data && (
        <div role="status" aria-label="Loading">
          <div className="cp-bone" style={{ width: '60%' }} />
        </div>
      )}
      {data && <Charts stats={data} />}
    </section>
  );
}

const sum = (values: number[]) => values.reduce((all, n) => all + n, 0);

function Charts({ stats: { messages, conversions } }: { stats: TrafficStats }) {
  const count = sum(conversions.map((c) => c.count));
  const spent = sum(conversions.map((c) => c.count * (c.milliseconds ?? 0)));
  const average = count > 0 ? Math.round(spent / count) : null;
  const counts = messages.map((m) => m.received + m.sent);
  const dates = messages.map((m) => m.date);
  return (
    <>
      <Chart
        title="Messages"
        note={`${formatCount(sum(messages.map((m) => m.received)))} received, ${formatCount(sum(messages.map((m) => m.sent)))} sent, ${formatCount(sum(messages.map((m) => m.failed)))} attempts failed`}
        values={counts}
        dates={dates}
        unit="messages"
      />
      <Chart
        title="Conversion time"
        note={average === null ? 'Nothing was converted' : `${plural(count, 'file')}, ${average} ms on average`}
        values={conversions.map((c) => c.milliseconds ?? null)}
        dates={dates}
        unit="ms"
      />
    </>
  );
}

type ChartProps = { title: string; note: string; values: (number | null)[]; dates: string[]; unit: string };
function Chart({ title, note, values, dates, unit }: ChartProps) {
  const most = Math.max(0, ...values.map((v) => v ?? 0));
  return (
    <figure className={classes.chart}>
      <figcaption>
        <b className="cp-strong">{title}</b> <span className="cp-second">{note}</span>
      </figcaption>
      <svg
        viewBox="0 0 960 120"
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}: ${note}; at most ${formatCount(most)} ${unit}`}
      >
        <path d={lineOf(values, 960, 116)} fill="none" stroke="var(--cp-chart-1)" strokeWidth="2" vectorEffect="non-scaling-stroke" />
      </svg>
      <div className={classes.scale} aria-hidden>
        <span>{formatTime(dates[0]!)}</span>
        <span>{`at most ${formatCount(most)} ${unit}`}</span>
        <span>{formatTime(dates.at(-1)!)}</span>
      </div>
    </figure>
  );
}

function Workers() {
  const { data, error, refetch } = useQuery({
    ...queryOf('get', '/api/diagnostics/worker', { ...quiet }),
    refetchInterval: EVERY_MS,
  });
  if (error && !data) return <ErrorState title="The nodes could not be loaded" error={error} onRetry={() => void refetch()} />;
  if (!data) return null;
  return (
    <>
      <section aria-label="Nodes">
        <h2>Nodes</h2>
        {data.nodes.length === 0 && <p className="cp-second">No node has reported.</p>}
        <ul className={classes.rows} aria-label="Active nodes">
          {data.nodes.map((node) => (
            <li key={node.id}>
              <span>
                <b className="cp-strong">{node.name}</b>
                <span className="cp-block cp-second">
                  {`${node.roles.join(', ')}; version ${node.version}; ${formatSince(node.startedDate)}`}
                </span>
              </span>
              <Status state={node.isAtWork ? 'Running' : 'Error'}>
                {node.isAtWork ? 'Active' : `Not seen ${formatSince(node.seenDate)}`}
              </Status>
            </li>
          ))}
        </ul>
      </section>
      <section aria-label="Work">
        <h2>Work</h2>
        <ul className={classes.rows} aria-label="Lanes">
          {data.lanes.map(({ lane, busy, waiting, oldest }) => (
            <li key={lane}>
              <span>{lane}</span>
              <span className="cp-num cp-second">
                {`${formatCount(busy)} running, ${formatCount(waiting)} waiting`}
                {oldest && `, the oldest ${formatSince(oldest)}`}
              </span>
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}
