import { api, unwrap } from '@/api/client';
import { RoutingSenderForm } from '@/api/limits.gen';
import { refresh } from '@/api/query';
import type { RoutingSender } from '@/api/types';
import { queryClient } from '@/app/session';
import { EditDialog } from '@/shared/crud/EditDialog';
import { textField } from '@/shared/form/fields';
import { organizationField } from '@/shared/form/OrganizationSelect';
import { at } from '../lists/fields';
import { ManageDialog } from './ManageDialog';

const RULES = '/api/admin/routingrules';
const ORGANIZATIONS_PER_SEARCH = 20;

const fields = {
  organizationId: organizationField('Organization', { count: ORGANIZATIONS_PER_SEARCH, when: (_, isNew) => isNew }),
  organizationOid: textField('OID', { description: 'The OID that the recipient uses for the organization.' }),
  facilityType: textField('Facility type', { description: 'In words, such as Hospital.' }),
  facilityTypeCodeId: textField('Facility type code', { half: true }),
  facilityTypeCodeScheme: textField('Coding scheme', { half: true }),
};

/** The organizations whose messages go through a rule. */
export function SendersDialog({ id, address, onClose }: { id: string; address: string; onClose: () => void }) {
  const form = (sender: RoutingSender | undefined, close: () => void) => (
    <EditDialog
      noun="organization"
      title={sender ? 'Edit sending organization' : 'Add sending organization'}
      label={sender ? 'Save Changes' : 'Add'}
      subject={sender ? sender.organizationName : address}
      fields={fields}
      limits={RoutingSenderForm}
      saved={sender}
      latest={async () => {
        const rule = await unwrap(api.GET('/api/admin/routingrules/{id}', at(id)));
        return rule.senders.find((s) => s.id === sender?.id) ?? sender!;
      }}
      save={async ({ organizationId, ...values }, version) => {
        const body = { ...values, organizationId: organizationId!, routingRuleId: id, version };
        await (sender
          ? api.PUT('/api/admin/routingrules/senders/{id}', { ...at(sender.id), body })
          : api.POST('/api/admin/routingrules/senders', { body }));
        await refresh(queryClient, RULES, '/api/admin/routingrules/{id}');
      }}
      done={sender ? 'The Organization was saved successfully.' : 'The Organization was added to this routing rule successfully.'}
      failed={sender ? 'There was an error updating the Organization.' : 'There was an error adding the Organization to this routing rule.'}
      onClose={close}
    />
  );
  return (
    <ManageDialog
      id={id}
      address={address}
      title="Manage Senders"
      add="Add organization"
      empty="All messages to this address go by Direct until you add a sending organization."
      itemsOf={(rule) => rule.senders}
      nameOf={(sender) => sender.organizationName}
      show={(sender) => (
        <span className="cp-grow cp-ell">
          {sender.organizationName} <span className="cp-second cp-mono">{sender.organizationOid}</span>
        </span>
      )}
      form={form}
      remove={{
        label: 'Remove',
        act: (sender) => ({
          title: 'Remove sending organization',
          subject: sender.organizationName,
          question: `Its messages to ${address} will go by Direct. Are you sure?`,
          label: 'Remove',
          danger: true,
          run: async () => {
            await api.DELETE('/api/admin/routingrules/senders/{id}', at(sender.id));
            await refresh(queryClient, RULES, '/api/admin/routingrules/{id}');
          },
          done: 'The Organization was removed successfully.',
          failed: 'There was an error removing the Endpoint: the organization may still send through this rule.',
        }),
      }}
      onClose={onClose}
    />
  );
}
