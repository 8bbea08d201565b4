import { useQuery } from '@tanstack/react-query';
import { IconReceipt } from '@tabler/icons-react';
import { api } from '@/api/client';
import { PlanForm } from '@/api/limits.gen';
import { queryOf } from '@/api/query';
import type { PlanFunction } from '@/api/types';
import { CrudPage } from '@/shared/crud/CrudPage';
import { choiceField, choicesField, numberField, textField } from '@/shared/form/fields';
import { HELP } from '@/shared/help';
import { at, retiredField, standing } from '../lists/fields';

const FUNCTIONS: { value: PlanFunction; label: string }[] = [
  { value: 'releaseRoute', label: 'New messages' },
  { value: 'send', label: 'Sending to Direct addresses' },
  { value: 'reply', label: 'Replying' },
  { value: 'forward', label: 'Forwarding' },
  { value: 'triage', label: 'Triage' },
  { value: 'structuredExport', label: 'Export as C-CDA' },
];
const lacking = (restricted: readonly PlanFunction[]) =>
  FUNCTIONS.filter((f) => restricted.includes(f.value))
    .map((f) => f.label)
    .join(', ');

const USERS_ERROR = 'Please enter a number of users from 1 to 1,000,000, or -1 for any number.';

/** The plans for organizations. The Free plan is always there. */
export function PlansPage() {
  const resellers = useQuery(queryOf('get', '/api/organizations/resellers')).data?.items ?? [];
  const licensing = resellers.filter((r) => r.type === 'Licensing').map((r) => ({ value: r.id, label: r.name }));
  const fields = {
    name: textField('Name'),
    tierCode: textField('Tier code', { description: 'Shown in the list of organizations.', half: true }),
    allowedUsers: numberField('Allowed users', {
      description: '-1 for any number.',
      initial: 1,
      required: USERS_ERROR,
      check: (users) => (users === 0 ? USERS_ERROR : null),
      half: true,
    }),
    restricted: choicesField('Excluded functions', FUNCTIONS, {
      description: 'People who open an excluded function are asked to upgrade.',
    }),
    resellerId: choiceField('Licensing reseller', licensing, {
      help: HELP.reseller,
      description: 'Only customers of this reseller can choose the plan. Fixed once organizations have it.',
    }),
    isRetired: retiredField('Organizations'),
  };
  return (
    <CrudPage
      title="Plans"
      noun="plan"
      icon={IconReceipt}
      list={({ search, page, size }) =>
        queryOf('get', '/api/admin/plans', { params: { query: { search, pageNumber: page, pageSize: size } } })
      }
      columns={[
        { key: 'name', title: 'Plan', primary: true, text: (p) => p.name },
        { key: 'tier', title: 'Tier code', width: 110, text: (p) => p.tierCode },
        { key: 'users', title: 'Users', width: 150, text: (p) => p.allowedUsersDescription },
        { key: 'restricted', title: 'Excluded functions', width: 240, drop: 1, text: (p) => lacking(p.restricted) },
        { key: 'reseller', title: 'Reseller', help: HELP.reseller, width: 180, drop: 2, text: (p) => p.resellerName ?? '' },
        { key: 'standing', title: 'Status', width: 100, text: (row) => standing(row) },
      ]}
      search="Search by name"
      fields={fields}
      limits={PlanForm}
      read={(id) => queryOf('get', '/api/admin/plans/{id}', at(id))}
      create={({ allowedUsers, ...body }) => api.POST('/api/admin/plans', { body: { ...body, allowedUsers: allowedUsers ?? 0 } })}
      save={(id, { allowedUsers, ...values }, version) =>
        api.PUT('/api/admin/plans/{id}', { ...at(id), body: { ...values, allowedUsers: allowedUsers ?? 0, version } })
      }
      remove={({ id }) => api.DELETE('/api/admin/plans/{id}', at(id))}
      refreshes={['/api/organizations/plans']}
      words={{
        emptyText: 'Until you add one, organizations have the Free plan with 3 users.',
        deleteQuestion: 'It can no longer be chosen. Are you sure?',
      }}
    />
  );
}
