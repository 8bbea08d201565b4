import { checkboxField } from '@/shared/form/fields';
import { organizationField } from '@/shared/form/OrganizationSelect';

/** Owner of the trust in a list: everybody, or one organization on its page. */
export type Whose = { organizationId?: string };
type Row = { organizationId?: string | null; organizationName?: string | null };

export const whoOf = (row: Row) => (row.organizationId ? (row.organizationName ?? row.organizationId) : 'All organizations');

/** Choice of who trusts a new entry; fixed on the page of an organization. */
export const whomFields = ({ organizationId }: Whose) => ({
  isForAll: checkboxField('All organizations', {
    initial: true,
    description: 'Every organization trusts it, including future ones.',
    when: (_, isNew) => isNew && !organizationId,
  }),
  organizationId: organizationField('Organization', {
    when: (values, isNew) => isNew && !organizationId && !values.isForAll,
  }),
});

export const chosen = ({ organizationId }: Whose, values: { isForAll: boolean; organizationId: string | null }) =>
  organizationId ?? (values.isForAll ? null : values.organizationId);

export const REVOCATION = 'Mail waits while the revocation list of a certificate below it is unavailable.';
