import {
  IconAddressBook,
  IconBuildingHospital,
  IconDeviceDesktop,
  IconFileDownload,
  IconInbox,
  IconMail,
  IconMailOff,
  IconMessages,
  IconUsers,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Icon } from '@/shared/ui/states';
import {
  saveContactsStatistics,
  saveDirectAddresses,
  saveDownloadProfiles,
  saveIntakeRules,
  saveOrganizations,
  saveUnassignedAddresses,
  saveUsers,
} from './api';
import { DevicesReportDialog, MessagesReportDialog, OrganizationsReportDialog } from './dialogs';

/** A report that is downloaded at once, or asks for its parameters. */
export type Tile = { name: string; text: string; icon: Icon } & (
  | { save: () => Promise<boolean> }
  | { asks: (onClose: () => void) => ReactNode }
);

/** A report about chosen organizations. */
const aboutOrganizations = (
  name: string,
  text: string,
  icon: Icon,
  content: string,
  save: (organizationIds: string[]) => Promise<boolean>,
): Tile => ({
  name,
  text,
  icon,
  asks: (onClose) => <OrganizationsReportDialog title={name} text={`The file holds ${content}.`} save={save} onClose={onClose} />,
});

export const TILES: Tile[] = [
  {
    name: 'Devices',
    text: 'Devices and places of sign-ins.',
    icon: IconDeviceDesktop,
    asks: (onClose) => <DevicesReportDialog onClose={onClose} />,
  },
  { name: 'Direct Addresses', text: 'The Direct addresses of all organizations.', icon: IconMail, save: saveDirectAddresses },
  {
    name: 'Organizations',
    text: 'All organizations with network, reseller, tier and state.',
    icon: IconBuildingHospital,
    save: saveOrganizations,
  },
  { name: 'Users', text: 'All users with their organizations and roles.', icon: IconUsers, save: saveUsers },
  {
    name: 'Messages',
    text: 'Message events of a period.',
    icon: IconMessages,
    asks: (onClose) => <MessagesReportDialog onClose={onClose} />,
  },
  aboutOrganizations(
    'Unassigned Addresses',
    'Direct addresses of chosen organizations that nobody can send from.',
    IconMailOff,
    'their Direct addresses that nobody can send from',
    saveUnassignedAddresses,
  ),
  aboutOrganizations(
    'Intake Rules',
    'Intake rules of chosen organizations, with the people they assign to.',
    IconInbox,
    'their intake rules in order: position, name, whether a rule is on and stops, and the people assigned',
    saveIntakeRules,
  ),
  aboutOrganizations(
    'Download Profiles',
    'How chosen organizations save or print processed documents.',
    IconFileDownload,
    'how they save or print processed documents',
    saveDownloadProfiles,
  ),
  {
    name: 'Download Contacts Statistics',
    text: 'Number of saved contacts of organizations, and of those used within 30 days.',
    icon: IconAddressBook,
    save: saveContactsStatistics,
  },
];
