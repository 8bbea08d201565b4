import { NEW_PERMISSIONS } from '@/api/permissions.gen';
import type { Permissions } from '@/api/types';
import type { AnswerOf } from './answers';

/** Data for tests of the session and the frame. */
type Person = AnswerOf<'get', '/api/users/profiledata'>;

export const brand: AnswerOf<'get', '/api/branding'> = {
  name: 'carepost',
  displayName: 'Carepost',
  brandColors: [],
  logo: '',
  demo: false,
  demoAccounts: [],
  demoMailbox: false,
  registration: true,
};

/** Those of a new member, unless told. */
export const permissions = (over: Partial<Permissions> = {}): Permissions => ({ ...NEW_PERMISSIONS, ...over });

/** Somebody who is signed in, a user of Larkfield unless told. */
export const person = (over: Partial<Person> = {}): Person => ({
  userId: 'u',
  userName: 'priya@carepost.example',
  fullName: 'Priya Raman',
  roles: ['User'],
  uiResources: {},
  organizationId: 'o',
  organizationName: 'Larkfield',
  organizations: [{ id: 'o', name: 'Larkfield', subDomain: 'larkfield' }],
  host: 'carepost.example',
  isAdmin: false,
  isNetworkAdmin: false,
  authStrategy: 'password',
  orgIsAcceptedEULA: true,
  mustAcceptTerms: false,
  orgIsIdProofed: true,
  resellerBypassTos: false,
  orgIsActivated: true,
  activationNoticeDismissed: false,
  permissions: permissions({ openRestricted: false }),
  orgIsCancelled: false,
  orgIsInGracePeriod: false,
  testMarker: '',
  idleTimeoutSeconds: 900,
  ...over,
});
