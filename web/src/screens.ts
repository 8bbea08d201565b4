import type { Screen } from './app/screens';
import { accountScreens } from './features/account/screens';
import { adminScreens } from './features/admin/screens';
import { dashboardScreens } from './features/dashboard/screens';
import { intakeScreens } from './features/intake/screens';
import { patientScreens } from './features/patients/screens';
import { referralScreens } from './features/referrals/screens';
import { releaseScreens } from './features/release/screens';
import { triageScreens } from './features/triage/screens';
import { setupScreens } from './features/setup/screens';
import { supportScreens } from './features/support/screens';
import { subscriptionScreens } from './features/subscription/screens';
import { webhookScreens } from './features/webhooks/screens';
import { integrationScreens } from './features/integrations/screens';

/** Every screen behind sign-in, from its area. Kept free of components: it is in the entry bundle. */
export const screens: readonly Screen[] = [
  ...intakeScreens,
  ...triageScreens,
  ...releaseScreens,
  ...referralScreens,
  ...patientScreens,
  ...dashboardScreens,
  ...accountScreens,
  ...subscriptionScreens,
  ...integrationScreens,
  ...webhookScreens,
  ...supportScreens,
  ...adminScreens,
  ...setupScreens,
];
