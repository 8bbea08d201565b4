import { useState } from 'react';
import { Onboarding } from '@/features/onboarding/Onboarding';
import { OrganizationStatus } from '@/features/subscription/StatusDialogs';
import { useProfile } from '../session';

/** What has to be said or done before the organization can be used: its status first, then its onboarding. */
export function OrganizationDialogs() {
  const profile = useProfile();
  const [told, setTold] = useState(false);
  const hasStatus = Boolean(profile.orgIsCancelled || (profile.isAdmin && profile.orgIsInGracePeriod));
  return hasStatus && !told ? <OrganizationStatus onTold={() => setTold(true)} /> : <Onboarding />;
}
