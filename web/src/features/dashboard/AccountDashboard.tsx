import './dashboard.css';
import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconAlertTriangle, IconInbox, IconMailOpened, IconPencil, IconUserQuestion, IconUsers } from '@tabler/icons-react';
import { useState } from 'react';
import { useFeature, useProfile } from '@/app/session';
import { quiet } from '@/api/client';
import { queryOf } from '@/api/query';
import type { IntakeItem } from '@/api/types';
import { intakeOverviewQuery, unfilteredViewsQuery } from '@/domain/messaging/intakeList';
import { now } from '@/shared/clock';
import { formatAddress, formatCount, formatWhen } from '@/shared/format';
import { paths } from '@/shared/paths';
import { AppLink } from '@/shared/ui/AppLink';
import { ErrorState, Notice } from '@/shared/ui/blocks';
import { PageHead } from '@/shared/ui/PageHead';
import type { Icon } from '@/shared/ui/states';
import { Source, Status } from '@/shared/ui/status';
import { Overview } from './Overview';
import { RecentActivity } from './RecentActivity';
import { DEFAULT_PERIOD, PERIODS } from './traffic';

const countRelease = (of: { statuses?: string; isDraft?: boolean }, pageSize = 1) =>
  queryOf('get', '/api/messages', { params: { query: { pageSize, pageStart: 1, ...of } }, ...quiet });

const countDuplicates = queryOf('get', '/api/patients/duplicates', { params: { query: { pageSize: 1, pageStart: 1 } }, ...quiet });

const CAP = 10_000;
/** Maximum number of failed messages listed. */
const NAMED = 3;
const LATEST = 8;

type FigureProps = { label: string; value: number | undefined; capped?: boolean; icon: Icon; href: string; hint: string; bad?: boolean };
function Figure({ label, value, capped, icon: IconOf, href, hint, bad }: FigureProps) {
  return (
    <div className="cp-stat">
      <div className="cp-row cp-second cp-figurelabel">
        <IconOf size={15} stroke={1.6} aria-hidden />
        {label}
      </div>
      <div className="v" data-bad={(bad && Boolean(value)) || undefined}>
        {value === undefined ? <div className="cp-bone" style={{ width: 48, height: 20 }} /> : formatCount(value, capped ?? value >= CAP)}
      </div>
      <AppLink className="cp-link" href={href}>
        {hint}
      </AppLink>
    </div>
  );
}

const greeting = (hour: number) => (hour < 12 ? 'Good morning' : hour < 18 ? 'Good afternoon' : 'Good evening');

/** The landing page of administrators: waiting work, with links. */
export function AccountDashboard() {
  const profile = useProfile();
  const [days, setDays] = useState<number>(DEFAULT_PERIOD);
  const optimized = useFeature('OptimizedIntake');
  const intake = useQuery(intakeOverviewQuery(optimized));
  const views = useQuery(unfilteredViewsQuery());
  const failed = useQuery(countRelease({ statuses: 'Failed', isDraft: false }, NAMED));
  const drafts = useQuery(countRelease({ isDraft: true }));
  const duplicates = useQuery(countDuplicates);
  const { data: counts } = views;
  const latest = intake.data?.items.slice(0, LATEST) ?? [];
  const broken = intake.error ?? views.error ?? failed.error ?? drafts.error;
  return (
    <>
      <PageHead
        title="Dashboard"
        actions={
          <NativeSelect
            aria-label="Period"
            w={140}
            data={PERIODS.map((n) => ({ value: String(n), label: `Last ${n} days` }))}
            value={String(days)}
            onChange={(e) => setDays(Number(e.currentTarget.value))}
          />
        }
      />
      <div className="cp-scroll">
        <section className="cp-greeting">
          <h2>
            {greeting(now().getHours())}, {profile.fullName.split(' ')[0]}
          </h2>
          <p className="cp-second">{profile.organizationName}</p>
          {profile.orgIsActivated === false && (
            <Notice kind="info">
              Your organization is not activated yet. Messages can be received and read; sending begins after activation.
            </Notice>
          )}
        </section>
        {broken ? (
          <ErrorState
            title="The counts could not be loaded"
            error={broken}
            onRetry={() => void Promise.all([intake.refetch(), views.refetch(), failed.refetch(), drafts.refetch()])}
          />
        ) : (
          <section className="cp-stats cp-figures" aria-label="Waiting">
            <Figure label="Unread in Intake" value={counts?.unread} icon={IconMailOpened} href={paths.intake()} hint="Open Intake" />
            <Figure
              label="Unassigned"
              value={counts?.unassigned}
              icon={IconUserQuestion}
              href={paths.intake({ view: 'unassigned' })}
              hint="Assign"
            />
            <Figure
              label="Assigned to me"
              value={counts?.assignedToSelf}
              icon={IconInbox}
              href={paths.intake({ view: 'mine' })}
              hint="Show mine"
            />
            <Figure
              label="Failed releases"
              value={failed.data?.totalCount}
              capped={Boolean(failed.data?.totalIsCapped)}
              icon={IconAlertTriangle}
              href={paths.release({ statuses: 'Failed' })}
              hint="Show failed"
              bad
            />
            <Figure
              label="Drafts"
              value={drafts.data?.totalCount}
              capped={Boolean(drafts.data?.totalIsCapped)}
              icon={IconPencil}
              href={paths.release({ view: 'drafts' })}
              hint="Continue"
            />
            {!duplicates.isError && (
              <Figure
                label="Possible duplicates"
                value={duplicates.data?.totalCount}
                capped={Boolean(duplicates.data?.totalIsCapped)}
                icon={IconUsers}
                href={paths.patients}
                hint="Decide"
              />
            )}
          </section>
        )}
        <Overview days={days} failed={failed.data?.items ?? []} />
        {latest.length > 0 && <Latest items={latest} />}
        <RecentActivity />
      </div>
    </>
  );
}

/** The latest messages, as links. */
function Latest({ items }: { items: IntakeItem[] }) {
  return (
    <section className="cp-latest" aria-labelledby="latest-intake">
      <div className="cp-row">
        <h2 id="latest-intake">Latest in Intake</h2>
        <div className="cp-grow" />
        <AppLink className="cp-link" href={paths.intake()}>
          Show all
        </AppLink>
      </div>
      <ul>
        {items.map((m) => (
          <li key={m.id}>
            <AppLink className="cp-latest-item" href={paths.intakeMessage(m.id)} data-unread={m.isRead ? undefined : true}>
              <Source kind={m.sourceType} />
              <span className="cp-ell cp-latest-subject">{m.subject || 'No subject'}</span>
              <span className="cp-ell cp-second cp-latest-from">{m.fromName || formatAddress(m.fromAddress)}</span>
              <Status state={m.status} />
              <span className="cp-num cp-muted cp-latest-when">{formatWhen(m.createdDate)}</span>
            </AppLink>
          </li>
        ))}
      </ul>
    </section>
  );
}
