import { IconCloudOff } from '@tabler/icons-react';
import { useEffect } from 'react';
import { onReturn, useAwaySince } from '@/api/connection';
import { formatTime } from '@/shared/format';
import { queryClient } from '../session';

/** A banner while the server is unreachable. Once it is back, everything in view is fetched again. */
export function Connection() {
  const since = useAwaySince();
  useEffect(() => onReturn(() => void queryClient.invalidateQueries()), []);
  return (
    <div role="status">
      {since && (
        <div className="cp-away">
          <IconCloudOff size={16} stroke={1.8} aria-hidden />
          <span>No connection. Your changes are kept here. Showing data from {formatTime(since.toISOString())}.</span>
        </div>
      )}
    </div>
  );
}
