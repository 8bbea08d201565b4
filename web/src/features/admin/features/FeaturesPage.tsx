import { Checkbox, TextInput } from '@mantine/core';
import { IconToggleRight } from '@tabler/icons-react';
import { api, unwrap } from '@/api/client';
import { FeatureToggleForm } from '@/api/limits.gen';
import { queryOf, refresh } from '@/api/query';
import type { FeatureToggle } from '@/api/types';
import { queryClient, readFeatures } from '@/app/session';
import { CrudPage } from '@/shared/crud/CrudPage';
import { checkboxField, identifierField } from '@/shared/form/fields';
import { formatWhen } from '@/shared/format';
import { ToggleCell } from '@/shared/ui/ToggleCell';
import { at } from '../lists/fields';

const LIST = '/api/admin/features';
const YES_NO = { on: 'Yes', off: 'No' };

const fields = {
  name: identifierField('Name', { description: 'The name that the product uses.' }),
  enabled: checkboxField('Enabled', { description: 'When off, it is off for everybody.' }),
  isOrganizationFeature: checkboxField('Enable Orgs', {
    description: 'If enabled, it is on only for organizations that have it. Otherwise it is on for all.',
  }),
};

/** Saves one switch of a feature, with the other values unchanged. */
async function put({ id, name, enabled, isOrganizationFeature, version }: FeatureToggle, change: Partial<FeatureToggle>) {
  await unwrap(api.PUT('/api/admin/features/{id}', { ...at(id), body: { name, enabled, isOrganizationFeature, version, ...change } }));
  await refresh(queryClient, LIST);
  readFeatures();
}

const FAILED = 'The feature could not be saved. Please try again.';

/** Parts of the product that can be switched, for everybody or by organization. */
export const FeaturesPage = () => (
  <CrudPage
    title="Features"
    noun="feature"
    icon={IconToggleRight}
    list={({ search, page, size }) => queryOf('get', LIST, { params: { query: { search, pageNumber: page, pageSize: size } } })}
    columns={[
      { key: 'name', title: 'Name', primary: true, text: (f) => f.name },
      { key: 'createDate', title: 'Created', width: 160, drop: 1, numeric: true, text: (f) => formatWhen(f.createDate) },
      {
        key: 'enabled',
        title: 'Enabled',
        width: 120,
        render: (f) => (
          <ToggleCell label={`Enabled: ${f.name}`} checked={f.enabled} onToggle={(enabled) => put(f, { enabled })} failed={FAILED} />
        ),
      },
      {
        key: 'isOrganizationFeature',
        title: 'Organization Feature',
        width: 190,
        render: (f) => (
          <ToggleCell
            label={`Organization Feature: ${f.name}`}
            words={YES_NO}
            checked={f.isOrganizationFeature}
            onToggle={(isOrganizationFeature) => put(f, { isOrganizationFeature })}
            failed={FAILED}
          />
        ),
      },
    ]}
    search="Search by name"
    fields={fields}
    limits={FeatureToggleForm}
    initial={{ enabled: true, isOrganizationFeature: true }}
    read={(id) => queryOf('get', '/api/admin/features/{id}', at(id))}
    create={(body) => api.POST('/api/admin/features', { body })}
    save={(id, values, version) => api.PUT('/api/admin/features/{id}', { ...at(id), body: { ...values, version } })}
    remove={({ id }) => api.DELETE('/api/admin/features/{id}', at(id))}
    refreshes={['/api/admin/features']}
    deleteDetails={(f) => <Locked feature={f} />}
    isMuted={(f) => !f.enabled}
    second={(f) => [f.enabled ? 'Enabled' : 'Off', f.isOrganizationFeature ? 'by organization' : 'for all'].join(', ')}
    words={{
      newTitle: 'Create Feature',
      editTitle: 'Update Feature',
      deleteTitle: 'Delete Feature',
      created: 'The feature was saved successfully.',
      saved: 'The feature was saved successfully.',
      deleted: 'The feature was deleted successfully.',
      deleteQuestion: 'Functions that need it will be off for everybody. Are you sure?',
    }}
  />
);

/** The fields of a feature, which cannot be changed while it is deleted. */
const Locked = ({ feature }: { feature: FeatureToggle }) => (
  <div className="adm-form">
    <TextInput size="md" label="Name" disabled value={feature.name} readOnly />
    <Checkbox size="sm" label="Enabled" disabled checked={feature.enabled} readOnly />
    <Checkbox size="sm" label="Enable Orgs" disabled checked={feature.isOrganizationFeature} readOnly />
  </div>
);
