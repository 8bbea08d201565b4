import './message.css';
import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Navigate, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useFeature } from '@/app/session';
import { ApiError } from '@/api/client';
import { interoperabilityQuery, messageQuery } from '@/domain/messaging/api';
import { paths } from '@/shared/paths';
import { useShortcuts } from '@/shared/shortcuts';
import { useGo } from '@/shared/ui/AppLink';
import { ErrorState } from '@/shared/ui/blocks';
import { DEFAULT_ORDER, intakeRequest } from '../list';
import { findTrail, placeOf, readOn, usePlace } from '../trail';
import { MessageView } from './MessageView';

const route = getRouteApi('/_app/intake/$id');
const DEFAULT_LIST = { search: {}, words: '', page: 1, size: 10, order: DEFAULT_ORDER };

/** Returns to the list as it was, or to a fresh one if the message was opened by its URL. */
function useBackToIntake(id: string) {
  const { history } = useRouter();
  const go = useGo();
  return () => (placeOf(id)?.isBehind ? history.back() : go(paths.intake()));
}

export function MessagePage() {
  const { id } = route.useParams();
  const message = useQuery(messageQuery(id));
  const settings = useQuery(interoperabilityQuery);
  const back = useBackToIntake(id);
  const go = useGo();
  // The list knows the neighbours before the message has loaded.
  const place = usePlace(id);
  const optimized = useFeature('OptimizedIntake');
  const isLost = !place;
  useEffect(() => {
    // A failure only means that the message has no neighbours, so none is shown.
    if (isLost) findTrail(id, intakeRequest(DEFAULT_LIST), optimized).catch(() => undefined);
  }, [id, isLost, optimized]);
  const isEnding = Boolean(place?.isEnding);
  useEffect(() => {
    if (isEnding) readOn().catch(() => undefined);
  }, [id, isEnding]);
  const turnTo = (other: string | null | undefined) => (other ? () => go(paths.intakeMessage(other), { replace: true }) : undefined);
  const previous = turnTo(place ? place.previousId : message.data?.previousId);
  const next = turnTo(place ? place.nextId : message.data?.nextId);
  const nextOpen = turnTo(place ? place.nextOpenId : message.data?.nextId);
  useShortcuts([
    ...(next ? [{ keys: 'j', label: 'Next message', run: next }] : []),
    ...(previous ? [{ keys: 'k', label: 'Previous message', run: previous }] : []),
    { keys: 'Escape', label: 'Back to Intake', run: back },
  ]);
  const error = message.error ?? settings.error;
  if (error && !(message.data && settings.data)) {
    const gone = error instanceof ApiError && error.status === 404;
    return <Unopened gone={gone} error={error} onRetry={() => void Promise.all([message.refetch(), settings.refetch()])} onBack={back} />;
  }
  // Some lists hold messages of both kinds.
  if (message.data?.direction === 'Release') return <Navigate to="/release/$id" params={{ id }} replace />;
  if (!message.data || !settings.data) return <Opening />;
  return (
    <MessageView
      key={id}
      message={message.data}
      settings={settings.data}
      place={place}
      previous={previous}
      next={next}
      onDone={nextOpen ?? back}
      onBack={back}
    />
  );
}

function Unopened({ gone, error, onRetry, onBack }: { gone: boolean; error: Error; onRetry: () => void; onBack: () => void }) {
  return (
    <ErrorState
      title={gone ? 'This message is no longer here' : 'The message could not be loaded'}
      error={gone ? null : error}
      onRetry={gone ? undefined : onRetry}
    >
      <Button variant={gone ? 'default' : 'subtle'} onClick={onBack}>
        Back to Intake
      </Button>
    </ErrorState>
  );
}

const Opening = () => (
  <div className="cp-opening" role="status" aria-label="Opening the message">
    <div className="cp-head cp-msghead">
      <Skeleton h={14} w={320} />
    </div>
    <div className="cp-well" />
  </div>
);
