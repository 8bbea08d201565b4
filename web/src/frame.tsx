import { useMatches } from '@tanstack/react-router';
import { useState } from 'react';
import { screenOf } from './app/screens';
import { useProfile } from './app/session';
import { Shell } from './app/shell/Shell';
import { FindProviderDialog } from './domain/directory/FindProviderDialog';
import { ActivityReportDialog } from './domain/messaging/ActivityReportDialog';
import { openTasks } from './domain/messaging/tasks/opened';
import { TaskList, TasksButton } from './domain/messaging/tasks/TaskList';
import { useFreshIntake } from './domain/messaging/useFreshIntake';
import { Onboarding } from './features/onboarding/Onboarding';
import { Notices } from './features/release/notices/Notices';
import { OrganizationStatus } from './features/subscription/StatusDialogs';
import { screens } from './screens';
import { useTabTitle } from './shared/tabTitle';

/** The frame of every screen behind sign-in, with the parts that the areas contribute. */
export function Frame() {
  useFreshIntake();
  const route = useMatches({ select: (matches) => matches.at(-1)?.fullPath ?? '' });
  const { organizationId } = useProfile();
  useTabTitle(screenOf(screens, route)?.title ?? '');
  return (
    <>
      <Shell
        screens={screens}
        dialogs={{ FindProvider: FindProviderDialog, ActivityReport: ActivityReportDialog, OrganizationDialogs }}
        Notices={Notices}
        tasks={{ Button: TasksButton, open: openTasks }}
      />
      <TaskList key={organizationId} />
    </>
  );
}

/** Dialogs before the organization can be used: first its status, then onboarding. */
function OrganizationDialogs() {
  const profile = useProfile();
  const [seen, setSeen] = useState(false);
  const hasStatus = Boolean(profile.orgIsCancelled || (profile.isAdmin && profile.orgIsInGracePeriod));
  return hasStatus && !seen ? <OrganizationStatus onSeen={() => setSeen(true)} /> : <Onboarding />;
}
