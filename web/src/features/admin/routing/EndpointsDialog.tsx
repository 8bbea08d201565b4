import { api, unwrap } from '@/api/client';
import { RoutingEndpointForm } from '@/api/limits.gen';
import { refresh } from '@/api/query';
import type { RoutingEndpoint } from '@/api/types';
import { queryClient } from '@/app/session';
import { EditDialog } from '@/shared/crud/EditDialog';
import { textField } from '@/shared/form/fields';
import { at } from '../lists/fields';
import { ManageDialog } from './ManageDialog';
import classes from './routing.module.css';
import { portError, whereIs } from './rules';

const fields = {
  ipAddress: textField('IP address or hostname', { description: 'For ITI-41, XDR and web services with the path, if there is one.' }),
  port: textField('Port', { description: 'Leave empty for the default: 2575 for HL7, 443 for the others.', check: portError }),
  oid: textField('OID', { description: 'The facility of this endpoint, if it differs from that of the rule.' }),
};

const RULES = '/api/admin/routingrules';

/** The endpoints of a rule, in the order in which they are tried. */
export function EndpointsDialog({ id, address, onClose }: { id: string; address: string; onClose: () => void }) {
  const form = (endpoint: RoutingEndpoint | undefined, close: () => void) => (
    <EditDialog
      noun="endpoint"
      title={endpoint ? 'Edit endpoint' : 'Add endpoint'}
      label={endpoint ? 'Save Changes' : 'Add'}
      subject={address}
      fields={fields}
      limits={RoutingEndpointForm}
      saved={endpoint}
      latest={async () => {
        const rule = await unwrap(api.GET('/api/admin/routingrules/{id}', at(id)));
        return rule.endpoints.find((e) => e.id === endpoint?.id) ?? endpoint!;
      }}
      save={async (values, version) => {
        const body = { ...values, routingRuleId: id, version };
        await (endpoint
          ? api.PUT('/api/admin/routingrules/endpoints/{id}', { ...at(endpoint.id), body })
          : api.POST('/api/admin/routingrules/endpoints', { body }));
        await refresh(queryClient, RULES, '/api/admin/routingrules/{id}');
      }}
      done={endpoint ? 'The Endpoint was saved successfully.' : 'The Endpoint was created successfully.'}
      failed={endpoint ? 'There was an error updating the Endpoint' : 'There was an error creating the Endpoint'}
      onClose={close}
    />
  );
  return (
    <ManageDialog
      id={id}
      address={address}
      title="Manage Endpoints"
      add="Add endpoint"
      empty="Messages to this address go by Direct until you add an endpoint."
      itemsOf={(rule) => rule.endpoints}
      nameOf={whereIs}
      show={(endpoint, index) => (
        <>
          <span className={classes.number}>{index + 1}</span>
          <span className="cp-grow cp-ell">
            <span className="cp-mono">{whereIs(endpoint)}</span>
            {endpoint.oid && <span className="cp-second"> {endpoint.oid}</span>}
          </span>
        </>
      )}
      form={form}
      remove={{
        label: 'Delete',
        act: (endpoint) => ({
          title: 'Delete endpoint',
          subject: whereIs(endpoint),
          question: 'No more messages are sent there. Are you sure?',
          label: 'Delete',
          danger: true,
          run: async () => {
            await api.DELETE('/api/admin/routingrules/endpoints/{id}', at(endpoint.id));
            await refresh(queryClient, RULES, '/api/admin/routingrules/{id}');
          },
          done: 'The Endpoint was deleted successfully.',
          failed: 'There was an error deleting the Endpoint',
        }),
      }}
      onClose={onClose}
    />
  );
}
