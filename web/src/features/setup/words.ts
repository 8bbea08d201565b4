import type { SetupStepName } from '@/api/types';
import { pathTo, paths } from '@/shared/paths';

type Words = {
  title: string;
  /** What it is for. */
  text: string;
  /** Where it is done in the web app. */
  leads?: { label: string; href: string }[];
};

const IN_FILE = 'Change it with carepost setup, or in the configuration file, and restart the server.';

/** What each step says. */
export const STEPS: Record<SetupStepName, Words> = {
  'public-url': {
    title: 'Public URL',
    text: `The address that people type. Links in e-mails and the revocation list in certificates name it. ${IN_FILE}`,
  },
  storage: {
    title: 'Storage',
    text: `The database, the place of documents, and the key that seals them. ${IN_FILE}`,
  },
  mail: {
    title: 'Mail for notices',
    text: `The mail server that takes invitations, sign-in codes and news to people. The test sends an e-mail to you. ${IN_FILE}`,
  },
  authority: {
    title: 'Certificate authority',
    text: 'Issues the certificates of Direct domains. Partners need its certificate as a trust anchor. One of your own is installed by carepost install-authority. As long as it has issued none, carepost trust remake-authority makes the built-in one anew, for another Direct domain.',
    leads: [{ label: 'Certificate, and a text for partners', href: paths.adminTrust('own') }],
  },
  vocabulary: {
    title: 'Standard vocabulary',
    text: 'Document types, specialties, release types and other lists that forms choose from. They are here from the beginning and can be changed.',
    leads: [{ label: 'Specialties', href: pathTo('/admin/organizationspecialties', {}) }],
  },
  dns: {
    title: 'Direct domain and DNS',
    text: `Every organization gets a domain below the Direct domain. Partners find mail server and certificate of each in DNS. ${IN_FILE}`,
  },
  trust: {
    title: 'Trust bundles',
    text: 'Whose certificates are believed beside those of this installation. Add one with carepost trust add-bundle NAME URL, or a single partner with carepost trust add-anchor FILE.',
  },
  fax: {
    title: 'Fax',
    text: 'Each organization has its own account at a fax service, or your modems. They are added on the tab Fax of an organization.',
    leads: [{ label: 'Organizations', href: paths.adminOrganizations() }],
  },
  brand: {
    title: 'Brand and terms',
    text: 'Name, colour, logo and host names, for the installation and for those who bring organizations of their own.',
    leads: [{ label: 'Brands', href: pathTo('/admin/brands', {}) }],
  },
  organization: {
    title: 'First organization',
    text: 'Create it, then its first administrator under Users. The administrator accepts the terms and proves who they are; you decide about the document.',
    leads: [
      { label: 'New organization', href: paths.adminOrganizationAdd() },
      { label: 'Organizations', href: paths.adminOrganizations() },
    ],
  },
  message: {
    title: 'First message',
    text: 'When two organizations are active, somebody of the one sends a message to an address of the other. This step is done when it was received and confirmed.',
  },
};
