import {
  IconAffiliate,
  IconAlertTriangle,
  IconApi,
  IconAppWindow,
  IconArrowsSplit,
  IconBan,
  IconBriefcase,
  IconBuildingHospital,
  IconBuildings,
  IconBuildingStore,
  IconCategory,
  IconCertificate,
  IconChartHistogram,
  IconDeviceLandlinePhone,
  IconFileSpreadsheet,
  IconPalette,
  IconFileText,
  IconKey,
  IconLicense,
  IconListSearch,
  IconPlug,
  IconMailSearch,
  IconReceipt,
  IconServer,
  IconStethoscope,
  IconTableImport,
  IconTags,
  IconTarget,
  IconToggleRight,
  IconTool,
  IconId,
  IconUsers,
} from '@tabler/icons-react';
import type { Profile } from '@/api/types';
import { hasRole } from '@/app/access';
import { useWaitingDocuments } from './proofing/api';
import type { Screen } from '@/app/screens';
import { paths } from '@/shared/paths';

const operators = { roles: ['SysAdmin'] };
const networkPeople = { ...operators, networkAdmins: true };
/** Operators open a network from the list. */
const ownNetwork = ({ roles, administerOfNetworkObjectId: id }: Profile) => (id && !hasRole({ roles }, 'SysAdmin') ? id : undefined);

export const adminScreens: Screen[] = [
  // Redirects to the landing page.
  { route: '/admin', title: 'Console' },
  {
    route: '/admin/reports',
    title: 'Reports',
    access: { roles: ['SysAdmin', 'SysAdminReporting'] },
    nav: { group: 'Operate', icon: IconFileSpreadsheet, order: 1, within: () => '/admin/generatedreports' },
  },
  { route: '/admin/generatedreports', title: 'Generated Reports', access: operators },
  { route: '/admin/workflows', title: 'Workflows', access: operators, nav: { group: 'Operate', icon: IconArrowsSplit, order: 2 } },
  {
    route: '/admin/dashboard/messaging/workflows',
    title: 'Workflows',
    access: { roles: ['SysAdmin', 'SysAdminReporting'] },
  },
  { route: '/admin/messages', title: 'Messages', access: operators, nav: { group: 'Operate', icon: IconMailSearch, order: 2 } },
  { route: '/admin/statistics', title: 'Statistics', access: operators, nav: { group: 'Operate', icon: IconChartHistogram, order: 2 } },
  { route: '/admin/organizations', title: 'Organizations', access: operators, nav: { group: 'Tenants', icon: IconBuildingHospital } },
  { route: '/admin/organizations/add', title: 'New organization', access: operators },
  { route: '/admin/organizations/add/$tab', title: 'New organization', access: operators },
  { route: '/admin/organizations/$id', title: 'Organization', access: operators },
  { route: '/admin/organizations/$id/$tab', title: 'Organization', access: operators },
  // Redirects to the tab of the imports.
  { route: '/admin/organizations/import', title: 'Batch imports', access: operators },
  { route: '/admin/batchimports', title: 'Batch imports', access: operators, nav: { group: 'Tenants', icon: IconTableImport } },
  { route: '/admin/batchimports/organizations', title: 'Batch imports', access: operators },
  { route: '/admin/users', title: 'Users', access: operators, nav: { group: 'Tenants', icon: IconUsers } },
  {
    route: '/admin/proofing',
    title: 'Identity proofing',
    access: operators,
    nav: { group: 'Tenants', icon: IconId, useCount: useWaitingDocuments },
  },
  { route: '/admin/proofing/$id', title: 'Photo ID', access: operators },
  {
    route: '/admin/networks',
    title: 'Networks',
    access: operators,
    nav: { group: 'Tenants', icon: IconAffiliate, within: () => '/networks' },
  },
  { route: '/networks/$id', title: 'Network', access: networkPeople },
  {
    route: '/networks/$id/$tab',
    title: 'Network',
    access: networkPeople,
    nav: {
      group: 'Networks',
      icon: IconAffiliate,
      label: 'Your network',
      href: (profile) => {
        const id = ownNetwork(profile);
        return id && paths.network(id);
      },
      within: (profile) => `/networks/${ownNetwork(profile)}`,
    },
  },
  { route: '/admin/emergencies', title: 'Emergencies', access: operators, nav: { group: 'Tenants', icon: IconAlertTriangle } },
  { route: '/admin/emergencies/organizations', title: 'Emergencies', access: operators },
  { route: '/admin/utils', title: 'Message Utilities', access: operators, nav: { group: 'Operate', icon: IconTool, order: 3 } },
  { route: '/admin/utils/workflowretry', title: 'Bulk Workflow Retry', access: operators },
  { route: '/admin/fax', title: 'Unknown faxes', access: operators, nav: { group: 'Tenants', icon: IconDeviceLandlinePhone } },
  { route: '/admin/audits', title: 'Audits', access: operators, nav: { group: 'Operate', icon: IconListSearch, order: 6 } },
  { route: '/admin/apicapture', title: 'API capture', access: operators, nav: { group: 'Operate', icon: IconApi, order: 7 } },
  { route: '/admin/featureToggle', title: 'Features', access: operators, nav: { group: 'Platform', icon: IconToggleRight } },
  {
    route: '/admin/licensekeys',
    title: 'License Keys',
    access: operators,
    nav: { group: 'Platform', icon: IconKey, label: 'Licence keys' },
  },
  {
    route: '/admin/integrationswhitelist',
    title: 'Integrations whitelist',
    access: operators,
    nav: { group: 'Platform', icon: IconPlug, label: 'Integrations' },
  },
  { route: '/admin/brands', title: 'Brands', access: operators, nav: { group: 'Platform', icon: IconPalette } },
  { route: '/admin/plans', title: 'Plans', access: operators, nav: { group: 'Platform', icon: IconReceipt } },
  { route: '/admin/resellers', title: 'Resellers', access: operators, nav: { group: 'Platform', icon: IconBuildingStore } },
  { route: '/admin/eulas', title: 'EULAs', access: operators, nav: { group: 'Platform', icon: IconLicense, label: 'EULA' } },
  { route: '/admin/reservedwords', title: 'Reserved words', access: operators, nav: { group: 'Platform', icon: IconBan } },
  {
    route: '/admin/organizationspecialties',
    title: 'Organization specialties',
    access: operators,
    nav: { group: 'Vocabulary', icon: IconStethoscope, label: 'Specialties' },
  },
  { route: '/admin/organizationtypes', title: 'Organization types', access: operators, nav: { group: 'Vocabulary', icon: IconBuildings } },
  { route: '/admin/documenttypes', title: 'Document types', access: operators, nav: { group: 'Vocabulary', icon: IconFileText } },
  { route: '/admin/releasetypes', title: 'Release types', access: operators, nav: { group: 'Vocabulary', icon: IconTags } },
  { route: '/admin/classifications', title: 'Classifications', access: operators, nav: { group: 'Vocabulary', icon: IconCategory } },
  { route: '/admin/purposesofuse', title: 'Purposes of use', access: operators, nav: { group: 'Vocabulary', icon: IconTarget } },
  { route: '/admin/jobfunctions', title: 'Job functions', access: operators, nav: { group: 'Vocabulary', icon: IconBriefcase } },
  { route: '/admin/applications', title: 'Applications', access: operators, nav: { group: 'Vocabulary', icon: IconAppWindow } },
  { route: '/admin/licencetypes', title: 'Licence types', access: operators, nav: { group: 'Vocabulary', icon: IconCertificate } },
  { route: '/admin/hispproviders', title: 'HISP providers', access: operators, nav: { group: 'Vocabulary', icon: IconServer } },
];
