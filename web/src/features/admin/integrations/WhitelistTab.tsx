import { Button } from '@mantine/core';
import { IconPlug, IconPlugConnected } from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '@/api/client';
import { WhitelistForm } from '@/api/limits.gen';
import { queryOf, reshaped } from '@/api/query';
import type { IntegrationId, WhitelistEntry } from '@/api/types';
import { CrudSection } from '@/shared/crud/CrudPage';
import { checkboxField, choiceField, textField } from '@/shared/form/fields';
import { organizationField } from '@/shared/form/OrganizationSelect';
import { formatWhen } from '@/shared/format';
import { at } from '../lists/fields';
import { INTEGRATIONS } from './api';
import { IntegrationsDialog } from './IntegrationsDialog';

/** Organization and integration of an entry cannot be changed. */
const isNew = (_: unknown, isNewEntry: boolean) => isNewEntry;

const fields = {
  name: textField('Name', { description: 'Why it is listed, such as a contract or a pilot.' }),
  integrationId: choiceField<IntegrationId>('Integration', INTEGRATIONS, { required: true, when: isNew }),
  isForAll: checkboxField('All organizations', { when: isNew, description: 'Every organization may use this integration.' }),
  organizationId: organizationField('Organization', { when: (values, isNewEntry) => isNewEntry && !values.isForAll }),
};

const whoOf = (entry: WhitelistEntry) => (entry.organizationId ? (entry.organizationName ?? entry.organizationId) : 'All organizations');

/** The organizations that may connect other systems, by integration. */
export function WhitelistTab() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <CrudSection
        title="Integrations whitelist"
        noun="entry"
        nouns="entries"
        icon={IconPlug}
        actions={
          <Button variant="default" leftSection={<IconPlugConnected size={16} stroke={1.6} />} onClick={() => setOpen(true)}>
            Integrations
          </Button>
        }
        list={({ search, page, size, filter }) =>
          queryOf('get', '/api/admin/integrations/whitelist', {
            params: {
              query: { search, integrationId: filter('integration') as IntegrationId | undefined, pageNumber: page, pageSize: size },
            },
          })
        }
        columns={[
          { key: 'name', title: 'Name', primary: true, text: (e) => e.name },
          { key: 'integration', title: 'Integration', width: 180, text: (e) => e.integrationName },
          { key: 'organization', title: 'Organization', width: 260, text: whoOf },
          { key: 'createdBy', title: 'Created by', width: 220, drop: 2, text: (e) => e.createdBy },
          { key: 'createDate', title: 'Created', width: 150, drop: 1, numeric: true, text: (e) => formatWhen(e.createDate) },
        ]}
        search="Search by name"
        filters={[{ name: 'integration', label: 'Integration', choices: [...INTEGRATIONS] }]}
        fields={fields}
        limits={WhitelistForm}
        read={(id) =>
          reshaped(queryOf('get', '/api/admin/integrations/whitelist/{id}', at(id)), (entry) => ({
            ...entry,
            isForAll: !entry.organizationId,
          }))
        }
        create={({ name, integrationId, isForAll, organizationId }) =>
          api.POST('/api/admin/integrations/whitelist', {
            body: { name, integrationId: integrationId!, organizationId: isForAll ? null : organizationId },
          })
        }
        save={(id, { name, integrationId, organizationId }, version) =>
          api.PUT('/api/admin/integrations/whitelist/{id}', {
            ...at(id),
            body: { name, integrationId: integrationId!, organizationId, version },
          })
        }
        remove={({ id }) => api.DELETE('/api/admin/integrations/whitelist/{id}', at(id))}
        refreshes={['/api/admin/integrations']}
        subject={(e) => `${e.name} (${e.integrationName}, ${whoOf(e)})`}
        second={(e) => (
          <span className="cp-ell">
            {e.integrationName} · {whoOf(e)}
          </span>
        )}
        words={{
          emptyText: 'No organization can connect an integration.',
          deleteQuestion: 'Integrations that it allowed stop working at once. Are you sure?',
        }}
      />
      {isOpen && <IntegrationsDialog onClose={() => setOpen(false)} />}
    </>
  );
}
