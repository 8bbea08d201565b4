import { useState } from 'react';
import { useProfile } from './app/session';
import { Shell } from './app/shell/Shell';
import { FindProviderDialog } from './domain/directory/FindProviderDialog';
import { ActivityReportDialog } from './domain/messaging/ActivityReportDialog';
import { useFreshIntake } from './domain/messaging/useFreshIntake';
import { Onboarding } from './features/onboarding/Onboarding';
import { OrganizationStatus } from './features/subscription/StatusDialogs';
import { screens } from './screens';

/** The frame of every screen behind sign-in, with the parts that the areas contribute. */
export function Frame() {
  useFreshIntake();
  return (
    <Shell screens={screens} dialogs={{ FindProvider: FindProviderDialog, ActivityReport: ActivityReportDialog, OrganizationDialogs }} />
  );
}

/** Dialogs before the organization can be used: first its status, then onboarding. */
function OrganizationDialogs() {
  const profile = useProfile();
  const [seen, setSeen] = useState(false);
  const hasStatus = Boolean(profile.orgIsCancelled || (profile.isAdmin && profile.orgIsInGracePeriod));
  return hasStatus && !seen ? <OrganizationStatus onSeen={() => setSeen(true)} /> : <Onboarding />;
}
