import { checkboxField } from '@/shared/form/fields';
import { organizationField } from '@/shared/form/OrganizationSelect';

/** Whose trust a list shows: that of everybody, or of one organization within its page. */
export type Whose = { organizationId?: string };
type Row = { organizationId?: string | null; organizationName?: string | null };

export const whoOf = (row: Row) => (row.organizationId ? (row.organizationName ?? row.organizationId) : 'All organizations');

/** Who trusts something new; within the page of an organization it is this one. */
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
