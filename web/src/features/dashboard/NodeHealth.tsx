import { queryOptions, useQuery } from '@tanstack/react-query';
import { quiet } from '@/api/client';
import { queryOf } from '@/api/query';
import { formatCount, formatSince, formatSize } from '@/shared/format';
import { ErrorState, Notice, NoticeList } from '@/shared/ui/blocks';

const healthQuery = queryOptions({
  ...queryOf('get', '/api/admin/health', quiet),
  refetchInterval: 60_000,
});

/** The state of the server: disk space, connections, and problems of the audit trail. */
export function NodeHealth() {
  const { data, error, refetch } = useQuery(healthQuery);
  if (error && !data)
    return <ErrorState title="The state of the server could not be loaded" error={error} onRetry={() => void refetch()} />;
  if (!data) {
    return (
      <div className="cp-latest" role="status" aria-label="Loading">
        <div className="cp-bone" style={{ width: '40%' }} />
      </div>
    );
  }
  const { disk, listeners, pools, auditFindings, concessions } = data;
  return (
    <section className="cp-latest" aria-labelledby="node-health">
      <h2 id="node-health">Server</h2>
      {disk.isFull && (
        <Notice kind="error">
          The disk is full: {formatSize(disk.freeBytes ?? 0)} are free, less than {formatSize(disk.floorBytes)}. No mail, files or messages
          are accepted until there is more space. People can sign in and read.
        </Notice>
      )}
      <NoticeList kind="error" title="The audit trail was altered" messages={auditFindings} />
      <NoticeList kind="warning" title="Insecure settings" messages={concessions} />
      <ul className="cp-plainlist">
        {disk.freeBytes != null && !disk.isFull && <li className="cp-second">{formatSize(disk.freeBytes)} are free on the disk.</li>}
        {listeners.map(({ name, open, total, refused, busiest }) => (
          <li key={name} className="cp-second">
            {name}: {formatCount(open)} of {formatCount(total)} connections
            {refused > 0 && `, ${formatCount(refused)} refused since the start, most from ${mostRefused(busiest)}`}.
          </li>
        ))}
        {pools.filter(isOfNote).map(({ name, used, total, waiting, refused, busiest }) => (
          <li key={name} className="cp-second">
            {name}: {Math.round((100 * used) / total)}% in use, {formatCount(waiting)} waiting
            {waiting > 0 && `, most of ${busiest[0]?.name ?? 'many'}`}
            {refused > 0 && `, ${formatCount(refused)} refused since the start`}.
          </li>
        ))}
      </ul>
      <Lanes />
    </section>
  );
}

/** The load of the workers of all nodes. A failure shows no error, so that the rest stays readable. */
function Lanes() {
  const { data } = useQuery({ ...queryOf('get', '/api/admin/lanes', { ...quiet }), refetchInterval: 60_000 });
  const used = (data?.items ?? []).filter(({ busy, waiting }) => busy + waiting > 0);
  if (!data) return null;
  return (
    <ul className="cp-plainlist" aria-label="Workers">
      {used.length === 0 && <li className="cp-second">All workers are free.</li>}
      {used.map(({ lane, busy, waiting, oldest }) => (
        <li key={lane} className="cp-second">
          {lane}: {formatCount(busy)} running, {formatCount(waiting)} waiting{oldest && `, the oldest ${formatSince(oldest)}`}.
        </li>
      ))}
    </ul>
  );
}

const isOfNote = ({ used, waiting, refused }: { used: number; waiting: number; refused: number }) => used + waiting + refused > 0;

const mostRefused = (busiest: { network: string; refused: number }[]) =>
  busiest.reduce((most, next) => (next.refused > most.refused ? next : most), { network: 'many networks', refused: 0 }).network;
