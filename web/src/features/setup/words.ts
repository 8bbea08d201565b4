import type { SetupStepName } from '@/api/types';
import { pathTo, paths } from '@/shared/paths';

type Words = {
  title: string;
  /** The purpose of the step. */
  text: string;
  /** Its screens in the web app. */
  leads?: { label: string; href: string }[];
};

const IN_FILE = 'Change it with carepost setup, or in the configuration file, and restart the server.';

/** The texts of each step. */
export const STEPS: Record<SetupStepName, Words> = {
  'public-url': {
    title: 'Public URL',
    text: `The address of this installation. It is part of the links in e-mails and of the revocation list address in certificates. ${IN_FILE}`,
  },
  storage: {
    title: 'Storage',
    text: `The database, the document storage, and the key that encrypts it. ${IN_FILE}`,
  },
  mail: {
    title: 'Mail for notices',
    text: `The mail server for invitations, sign-in codes and notices. The test sends an e-mail to you. ${IN_FILE}`,
  },
  authority: {
    title: 'Certificate authority',
    text: 'Issues the certificates of Direct domains. Partners need its certificate as a trust anchor. Install your own with carepost install-authority. Until the built-in one has issued a certificate, carepost trust remake-authority creates it again for another Direct domain.',
    leads: [{ label: 'Certificate, and a text for partners', href: paths.adminTrust('own') }],
  },
  vocabulary: {
    title: 'Standard vocabulary',
    text: 'Document types, specialties, release types and other lists for forms. They are built in and can be changed.',
    leads: [{ label: 'Specialties', href: pathTo('/admin/organizationspecialties', {}) }],
  },
  dns: {
    title: 'Direct domain and DNS',
    text: `Every organization gets a domain below the Direct domain. Partners find its mail server and certificate in DNS. ${IN_FILE}`,
  },
  trust: {
    title: 'Trust bundles',
    text: 'Certificates that are trusted in addition to those of this installation. Add a bundle with carepost trust add-bundle NAME URL, or a single partner with carepost trust add-anchor FILE.',
  },
  fax: {
    title: 'Fax',
    text: 'Each organization has its own account at a fax service or uses your modems. Add them on the tab Fax of an organization.',
    leads: [{ label: 'Organizations', href: paths.adminOrganizations() }],
  },
  brand: {
    title: 'Brand and terms',
    text: 'Name, colour, logo and host names, for the installation and for resellers.',
    leads: [{ label: 'Brands', href: pathTo('/admin/brands', {}) }],
  },
  organization: {
    title: 'First organization',
    text: 'Create it, then its first administrator under Users. The administrator accepts the terms and submits a photo ID, which you review.',
    leads: [
      { label: 'New organization', href: paths.adminOrganizationAdd() },
      { label: 'Organizations', href: paths.adminOrganizations() },
    ],
  },
  message: {
    title: 'First message',
    text: 'Once two organizations are active, send a message from one to the other. This step is done when the message is received and confirmed.',
  },
};
