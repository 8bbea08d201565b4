import { checkAddresses } from '@/domain/service/addresses';
import { checkboxField, tagsField } from '@/shared/form/fields';
import { Saved } from '@/shared/form/saved';
import { latestSecurity, saveSecurity, securityQuery } from './security';
import { SettingsForm } from './SettingsForm';

const fields = {
  requireWhitelistedIp: checkboxField('Only these addresses are allowed'),
  allowedAddresses: tagsField('IP Addresses', {
    description: 'Addresses such as 203.0.113.9, and networks such as 203.0.113.0/24 or 2001:db8::/32.',
    check: (addresses, { requireWhitelistedIp }) =>
      requireWhitelistedIp && addresses.length === 0 ? 'Please enter at least one address, or allow all.' : checkAddresses(addresses),
  }),
};

/** The IP addresses from which people of an organization may sign in. */
export function IpAddressesTab({ organizationId }: { organizationId: string }) {
  return (
    <Saved query={securityQuery(organizationId)} failed="The addresses could not be loaded">
      {(saved) => (
        <SettingsForm
          title="IP Addresses"
          text="Addresses from which people of the organization can sign in. Service accounts have their own addresses."
          what="list"
          fields={fields}
          saved={saved}
          latest={() => latestSecurity(organizationId)}
          save={(values, version, record) => saveSecurity(organizationId, { ...record, ...values, version: version ?? record.version })}
          done="The allowed addresses were saved."
          failed="The addresses could not be saved. Please try again."
        />
      )}
    </Saved>
  );
}
