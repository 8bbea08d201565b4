import { IconAppWindow, IconBriefcase, IconBuildings, IconCategory, IconCertificate, IconServer, IconTarget } from '@tabler/icons-react';
import { EntriesPage } from './EntriesPage';
import { licenceTypesField } from './licenceTypesField';

export const OrganizationTypesPage = () => (
  <EntriesPage
    list="organizationtypes"
    title="Organization types"
    noun="organization type"
    icon={IconBuildings}
    who="Organizations"
    refreshes={['/api/organizations/types']}
  />
);

/** Providers of Direct addresses. */
export const HispProvidersPage = () => (
  <EntriesPage
    list="hispproviders"
    title="HISP providers"
    noun="HISP provider"
    icon={IconServer}
    who="Organizations"
    refreshes={['/api/admin/documentsources/documentsourceproviders']}
  />
);

export const PurposesOfUsePage = () => (
  <EntriesPage
    list="purposesofuse"
    title="Purposes of use"
    noun="purpose of use"
    nouns="purposes of use"
    icon={IconTarget}
    who="Organizations"
    code={{ label: 'Code', description: 'Of HL7 Version 3, such as TREAT. It stays while organizations have it.' }}
    refreshes={['/api/query/purposesofuse']}
  />
);

export const ClassificationsPage = () => (
  <EntriesPage
    list="classifications"
    title="Classifications"
    noun="classification"
    icon={IconCategory}
    who="Messages"
    code={{ label: 'Code', description: 'The LOINC code, such as 57133-1. It stays while messages have it.' }}
    refreshes={['/api/messages/classifications']}
  />
);

export const JobFunctionsPage = () => (
  <EntriesPage
    list="jobfunctions"
    title="Job functions"
    noun="job function"
    icon={IconBriefcase}
    who="People"
    refreshes={['/api/users/jobs']}
  />
);

/** Products that licences are issued for. */
export const ApplicationsPage = () => (
  <EntriesPage
    list="applications"
    title="Applications"
    noun="application"
    icon={IconAppWindow}
    who="Licences"
    more={{ licenseTypeIds: licenceTypesField }}
    refreshes={['/api/admin/apps']}
  />
);

export const LicenceTypesPage = () => (
  <EntriesPage
    list="licencetypes"
    title="Licence types"
    noun="licence type"
    icon={IconCertificate}
    who="Licences"
    refreshes={['/api/admin/apps']}
  />
);
