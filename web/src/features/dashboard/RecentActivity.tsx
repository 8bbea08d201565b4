import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconFileAnalytics } from '@tabler/icons-react';
import { useState } from 'react';
import type { MessageEvent } from '@/api/types';
import { ActivityReportDialog } from '@/domain/messaging/ActivityReportDialog';
import { recentEventsQuery } from '@/domain/messaging/api';
import { formatAddress, formatRecent } from '@/shared/format';
import { paths } from '@/shared/paths';
import { AppLink } from '@/shared/ui/AppLink';
import { ErrorState } from '@/shared/ui/blocks';
import { Status } from '@/shared/ui/status';
import { When } from '@/shared/ui/When';

/** The number shown at first. */
const FIRST = 8;

/** Recent message events, and the report with more of them. */
export function RecentActivity() {
  const query = useQuery(recentEventsQuery);
  const [isLong, setLong] = useState(false);
  const [isReporting, report] = useState(false);
  const events = query.data ?? [];
  return (
    <section className="cp-latest" aria-labelledby="recent-activity">
      <div className="cp-row">
        <h2 id="recent-activity">Recent activity</h2>
        <div className="cp-grow" />
        <Button variant="default" leftSection={<IconFileAnalytics size={16} stroke={1.6} />} onClick={() => report(true)}>
          Activity report
        </Button>
      </div>
      {query.isError && <ErrorState title="The activity could not be loaded" error={query.error} onRetry={() => void query.refetch()} />}
      {query.data?.length === 0 && <p className="cp-second">No message activity in the last 14 days.</p>}
      <ul>
        {events.slice(0, isLong ? undefined : FIRST).map((event) => (
          <Event key={event.id} event={event} />
        ))}
      </ul>
      {!isLong && events.length > FIRST && (
        <Button variant="subtle" onClick={() => setLong(true)}>
          Show more
        </Button>
      )}
      {isReporting && <ActivityReportDialog onClose={() => report(false)} />}
    </section>
  );
}

function Event({ event }: { event: MessageEvent }) {
  const line = (
    <>
      <Status state={event.eventType} />
      <span className="cp-ell">{event.isDeleted ? 'Deleted message' : event.subject || 'No subject'}</span>
      <span className="cp-ell cp-second cp-latest-from">
        {event.userName || formatAddress(event.direction === 'Intake' ? event.fromAddress : event.toAddress)}
      </span>
      <When className="cp-num cp-muted" iso={event.at}>
        {formatRecent(event.at)}
      </When>
    </>
  );
  const path = event.direction === 'Intake' ? paths.intakeMessage(event.messageId) : paths.releaseMessage(event.messageId);
  return (
    <li>
      {event.isDeleted ? (
        <div className="cp-latest-item cp-event">{line}</div>
      ) : (
        <AppLink className="cp-latest-item cp-event" href={path}>
          {line}
        </AppLink>
      )}
    </li>
  );
}
