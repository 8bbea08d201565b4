import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, quiet, unwrap } from '@/api/client';
import { formatCount, formatSize } from '@/shared/format';
import { ErrorState, Notice, NoticeList } from '@/shared/ui/blocks';

const healthQuery = queryOptions({
  queryKey: ['admin', 'health'],
  queryFn: () => unwrap(api.GET('/api/admin/health', quiet)),
  refetchInterval: 60_000,
});

/** Whether the server can store anything, who holds its connections, and what is wrong with the audit trail. */
export function NodeHealth() {
  const { data, error, refetch } = useQuery(healthQuery);
  if (error && !data)
    return <ErrorState title="The state of the server could not be loaded" error={error} onRetry={() => void refetch()} />;
  if (!data) {
    return (
      <div role="status" aria-label="Loading">
        <div className="cp-bone" style={{ width: '40%' }} />
      </div>
    );
  }
  const { disk, listeners, auditFindings } = data;
  return (
    <section aria-labelledby="node-health">
      <h2 id="node-health">Server</h2>
      {disk.isFull && (
        <Notice kind="error">
          The disk is full: {formatSize(disk.freeBytes ?? 0)} are free, less than {formatSize(disk.floorBytes)}. No mail, file or message is
          taken in until there is more room. People can sign in and read.
        </Notice>
      )}
      <NoticeList kind="error" title="The audit trail is not as it was" messages={auditFindings} />
      <ul className="cp-plainlist">
        {disk.freeBytes != null && !disk.isFull && <li className="cp-second">{formatSize(disk.freeBytes)} are free on the disk.</li>}
        {listeners.map(({ name, open, total, refused, busiest }) => (
          <li key={name} className="cp-second">
            {name}: {formatCount(open)} of {formatCount(total)} connections
            {refused > 0 && `, ${formatCount(refused)} refused since the start, most from ${mostRefused(busiest)}`}.
          </li>
        ))}
      </ul>
    </section>
  );
}

const mostRefused = (busiest: { network: string; refused: number }[]) =>
  busiest.reduce((most, next) => (next.refused > most.refused ? next : most), { network: 'many networks', refused: 0 }).network;
