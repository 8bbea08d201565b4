import { Button } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, quiet, unwrap } from '@/api/client';
import { PERMISSIONS } from '@/api/permissions.gen';
import { queryOf } from '@/api/query';
import type { AdminUserRow, Permissions } from '@/api/types';
import { EditDialog } from '@/shared/crud/EditDialog';
import { useDebounced } from '@/shared/debounce';
import { choiceField, type ControlProps, type Field, Fields, useFieldForm } from '@/shared/form/fields';
import { Form } from '@/shared/form/Form';
import { ListSelect } from '@/shared/form/inputs';
import { notify } from '@/shared/notify';
import { useAsk } from '@/shared/ui/AskDialog';
import { ChoicesFailed, ErrorState, NoticeList } from '@/shared/ui/blocks';
import { Dialog } from '@/shared/ui/Dialog';
import { ToggleCell } from '@/shared/ui/ToggleCell';
import { at, subjectOf, useRefreshUsers } from './api';
import { jobField, ORGANIZATION_ROLES } from './fields';

const SEARCH_DELAY_MS = 300;
const LETTERS = 2;

/** Choice of an organization that the person is not assigned to. */
function FreeOrganizationSelect({ userId, ...props }: ControlProps & { userId: string }) {
  const [typed, setTyped] = useState('');
  const asked = useDebounced(typed.trim(), SEARCH_DELAY_MS);
  const choices = useQuery({
    ...queryOf('get', '/api/organizations/{id}', { params: { path: { id: userId }, query: { search: asked } }, ...quiet }),
    placeholderData: keepPreviousData,
    enabled: asked.length >= LETTERS,
  });
  const found = choices.data && 'items' in choices.data && asked.length >= LETTERS ? choices.data.items : [];
  return (
    <>
      <ChoicesFailed of={[choices]} />
      <ListSelect
        {...props}
        description="Search by words of its name, and choose it."
        data={found.map((o) => ({ value: o.id, label: `${o.name} (${o.subDomain})` }))}
        filter={({ options }) => options}
        onSearch={setTyped}
        nothingFoundMessage={typed.trim().length < LETTERS ? undefined : choices.isFetching ? 'Searching…' : 'No match'}
      />
    </>
  );
}

const PLACE_FIELDS = {
  role: choiceField('Role', ORGANIZATION_ROLES, { required: 'Role is required.', half: true }),
  jobFunctionId: { ...jobField(), half: true },
};

const fieldsFor = (userId: string) => ({
  organizationId: {
    label: 'Organization',
    required: 'Please choose an organization from the list.',
    initial: null,
    show: (value) => value ?? 'none',
    control: (props, bound) => <FreeOrganizationSelect userId={userId} {...props} {...bound} />,
  } as Field<string | null>,
  ...PLACE_FIELDS,
});

type Place = AdminUserRow['organizations'][number];

/** The role and job of a person in an organization, edited in place. */
function ChangePlace({ user, place, onClose }: { user: AdminUserRow; place: Place; onClose: () => void }) {
  const jobs = useQuery(queryOf('get', '/api/users/jobs')).data?.items;
  const changed = useRefreshUsers();
  if (!jobs) return null;
  return (
    <EditDialog
      noun="place"
      title="Role and Job"
      subject={`${subjectOf(user)}, ${place.name}`}
      question="A change of role signs the person out of this organization."
      label="Save Changes"
      fields={PLACE_FIELDS}
      initial={{ role: place.role, jobFunctionId: jobs.find((job) => job.name === place.primaryJobFunction)?.id ?? null }}
      save={({ role, jobFunctionId }) =>
        unwrap(
          api.PUT('/api/admin/organizations/{organizationId}/users/{userId}', {
            params: { path: { organizationId: place.id, userId: user.id } },
            body: { role, jobFunctionId },
          }),
        )
      }
      done="The user organization was saved successfully."
      failed="There was an error assigning this organization"
      onSaved={() => void changed()}
      onClose={onClose}
    />
  );
}

/** The organizations of a person, with a way to assign others. */
export function AccountOrganizations({ user, onClose }: { user: AdminUserRow; onClose: () => void }) {
  const account = useQuery({ ...queryOf('get', '/api/admin/users/{id}', at(user.id)), staleTime: 0 });
  const changed = useRefreshUsers();
  const [ask, question] = useAsk();
  const [changing, setChanging] = useState<Place | null>(null);
  const [fields] = useState(() => fieldsFor(user.id));
  const { form, busy, formErrors, onSubmit } = useFieldForm({
    fields,
    failed: 'There was an error assigning this organization',
    submit: async ({ organizationId, role, jobFunctionId }) => {
      await api.POST('/api/admin/organizations/{organizationId}/users', {
        params: { path: { organizationId: organizationId! } },
        body: { userId: user.id, organizationId: organizationId!, role: role!, jobFunctionId: jobFunctionId! },
      });
      form.reset();
      await changed();
      notify('success', 'The user organization was saved successfully.');
    },
  });
  const remove = (place: { id: string; name: string }) =>
    ask({
      title: 'Remove from Organization',
      subject: `${subjectOf(user)}, ${place.name}`,
      question: 'This person is signed out there at once and can no longer work there. Are you sure?',
      label: 'Remove',
      danger: true,
      run: async () => {
        await api.DELETE('/api/admin/organizations/{organizationId}/users/{userId}', {
          params: { path: { organizationId: place.id, userId: user.id } },
        });
        await changed();
      },
      done: 'User successfully removed from organization.',
      failed: 'There was an error deleting this organization',
    });
  const permit = async (organizationId: string, permissions: Partial<Permissions>) => {
    await api.PUT('/api/admin/organizations/{organizationId}/users/{userId}', {
      params: { path: { organizationId, userId: user.id } },
      body: { permissions },
      ...quiet,
    });
    await changed();
  };
  const places = account.data?.organizations;
  return (
    <Dialog
      opened
      onClose={onClose}
      title="Organizations"
      staysOnOutsideClick={form.isDirty()}
      footer={
        <>
          <div className="cp-grow" />
          <Button size="md" variant="default" onClick={onClose}>
            Close
          </Button>
          <Button size="md" type="submit" form="assign-organization" loading={busy}>
            Assign
          </Button>
        </>
      }
    >
      <p className="cp-subject">{subjectOf(user)}</p>
      {account.error && !places && (
        <ErrorState title="The organizations could not be loaded" error={account.error} onRetry={() => void account.refetch()} />
      )}
      {places?.length === 0 && <p className="cp-second">This person belongs to no organization.</p>}
      <ul className="usr-places" aria-label="Assigned organizations" aria-busy={!places}>
        {places?.map((place) => (
          <li key={place.id}>
            <div className="cp-grow">
              <span className="cp-block cp-strong">{place.name}</span>
              <span className="cp-block cp-second">{[place.role, place.primaryJobFunction].filter(Boolean).join(', ')}</span>
              {PERMISSIONS.map(({ name, label }) => (
                <ToggleCell
                  key={name}
                  label={`${label} of ${place.name}`}
                  words={{ on: label, off: label }}
                  checked={place.permissions[name]}
                  onToggle={(may) => permit(place.id, { [name]: may })}
                  failed="The permission could not be saved"
                />
              ))}
            </div>
            <Button variant="default" aria-label={`Change role and job in ${place.name}`} onClick={() => setChanging(place)}>
              Change
            </Button>
            <Button variant="default" aria-label={`Remove from ${place.name}`} onClick={() => remove(place)}>
              Remove
            </Button>
          </li>
        ))}
      </ul>
      <h3 className="usr-part">Assign to another organization</h3>
      <Form id="assign-organization" className="cp-dialog-form" onSubmit={onSubmit}>
        <NoticeList kind="error" messages={formErrors} />
        <Fields of={fields} form={form} />
      </Form>
      {changing && <ChangePlace user={user} place={changing} onClose={() => setChanging(null)} />}
      {question}
    </Dialog>
  );
}
