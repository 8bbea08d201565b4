import { useState } from 'react';
import { useProfile } from './app/session';
import { Shell } from './app/shell/Shell';
import { FindProviderDialog } from './domain/directory/FindProviderDialog';
import { ActivityReportDialog } from './domain/messaging/ActivityReportDialog';
import { useFreshIntake } from './domain/messaging/useFreshIntake';
import { Onboarding } from './features/onboarding/Onboarding';
import { OrganizationStatus } from './features/subscription/StatusDialogs';
import { screens } from './screens';

/** The frame around every screen behind sign-in, put together of what the areas bring to it. */
export function Frame() {
  useFreshIntake();
  return (
    <Shell screens={screens} dialogs={{ FindProvider: FindProviderDialog, ActivityReport: ActivityReportDialog, OrganizationDialogs }} />
  );
}

/** What has to be said or done before the organization can be used: its status first, then its onboarding. */
function OrganizationDialogs() {
  const profile = useProfile();
  const [told, setTold] = useState(false);
  const hasStatus = Boolean(profile.orgIsCancelled || (profile.isAdmin && profile.orgIsInGracePeriod));
  return hasStatus && !told ? <OrganizationStatus onTold={() => setTold(true)} /> : <Onboarding />;
}
