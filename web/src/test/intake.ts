import type { IntakeItem, Profile } from '@/api/types';
import { answer } from './answers';
import { FAX } from './fixtures';
import { permissions, person as signedIn } from './session';

/** Data for tests of the Intake. */
export const person = (over: Partial<Profile> = {}): Profile =>
  signedIn({
    userId: 'me',
    userName: 'dana@carepost.example',
    fullName: 'Dana Whitfield',
    permissions: permissions(),
    ...over,
  } as object);

export const row = (over: Partial<IntakeItem> = {}): IntakeItem => ({
  id: 'a',
  subject: 'Results',
  createdDate: '2026-11-20T10:00:00Z',
  fromAddress: 'intake@summit.direct.example',
  fromName: 'Summit Orthopedics',
  toAddress: 'records@larkfield.direct.example',
  patientName: '',
  documentType: '',
  proposal: {},
  tags: [],
  status: 'Received',
  processTypes: [],
  sourceType: 'DirectMessage',
  attachmentCount: 0,
  attachments: [],
  properties: { ...FAX, faxPageCount: null },
  attachments2CDA: false,
  recent: false,
  isRead: true,
  isUrgent: false,
  openedBy: [],
  foundIn: [],
  ...over,
});

/** Requests of the list besides its rows. */
export function besidesTheList() {
  const quickViews = { all: 12, unassigned: 7, assignedToSelf: 2, urgent: 1, unread: 3, snoozed: 4 };
  answer('post', '/api/intake/counts', { totalCount: 0, totalIsCapped: false, mentionCount: 0, quickViews });
  answer('get', '/api/intake/filters', { items: [] });
  answer('get', '/api/triage', { items: [] });
  answer('get', '/api/messages/bulk/jobs', { items: [] });
  answer('get', '/api/documentsources/release', { items: [] });
  answer('get', '/api/users/current', { ...person(), userPreferences: {} } as never);
}
