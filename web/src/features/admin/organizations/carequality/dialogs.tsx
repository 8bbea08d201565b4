import { Checkbox, Select, TagsInput, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { ApiError } from '@/api/client';
import type { DirectoryEntry, Organization } from '@/api/types';
import { reportFailure } from '@/shared/errors';
import { TagInput } from '@/shared/form/inputs';
import { useServerForm } from '@/shared/form/useServerForm';
import { notify } from '@/shared/notify';
import { ConfirmDialog } from '@/shared/ui/Dialog';
import { FormDialog } from '@/shared/ui/FormDialog';
import { saveEntry } from './api';
import { entryChecks, type EntryValues, inputOf, responderChoices, valuesOfEntry, valuesOfNew } from './rules';

type EntryProps = { organization: Organization; entry: DirectoryEntry | null; onClose: () => void };

/** An entry: new, or what is said of one. */
export function DirectoryEntryDialog({ organization, entry, onClose }: EntryProps) {
  const { form, ...rest } = useServerForm<EntryValues>({
    initialValues: entry ? valuesOfEntry(entry) : valuesOfNew(organization),
    validate: entryChecks,
    submit: async (values) => {
      try {
        await saveEntry(organization.id, inputOf(values, entry?.id));
      } catch (error) {
        if (error instanceof ApiError && Object.keys(error.modelState).length > 0) throw error;
        return reportFailure(error, 'There was an error upserting this entry');
      }
      notify('success', entry ? 'The Directory Entry was edited successfully.' : 'The Directory Entry was added successfully.');
      onClose();
    },
  });
  const text = (field: keyof EntryValues, label: string, isRequired = false, maxLength = 255) => (
    <TextInput size="md" label={label} required={isRequired} maxLength={maxLength} autoComplete="off" {...form.getInputProps(field)} />
  );
  return (
    <FormDialog title={`${entry ? 'Edit' : 'Add'} Directory Entry`} label="Save" onClose={onClose} {...rest}>
      <Select
        data-autofocus
        size="md"
        label="Responder Type"
        required
        allowDeselect={false}
        data={responderChoices(entry?.responderType)}
        {...form.getInputProps('responderType')}
      />
      {text('organizationId', 'Organization ID', true)}
      {text('homeCommunityId', 'Home Community ID')}
      {text('displayName', 'Display Name', true)}
      {text('legalName', 'Legal Name')}
      <TagInput size="md" label="Other Names" {...form.getInputProps('otherNames')} />
      {text('parentOrgId', 'Parent Organization ID')}
      <TagsInput
        size="md"
        label="Purpose of Use Codes"
        description="Those that the organization is allowed when the entry is added."
        readOnly
        {...form.getInputProps('purposeOfUseCodes')}
      />
      {text('address', 'Street', true)}
      <div className="adm-pair">
        {text('city', 'City', true)}
        {text('state', 'State', true)}
        {text('zipCode', 'Zip', true, 10)}
        {text('country', 'Country', true, 2)}
      </div>
      <Checkbox label="Active" {...form.getInputProps('isActive', { type: 'checkbox' })} />
    </FormDialog>
  );
}

type ActivityProps = { organizationId: string; entry: DirectoryEntry; onClose: () => void };

/** Asks before an entry is taken out of use or put into it. */
export function EntryActivityDialog({ organizationId, entry, onClose }: ActivityProps) {
  const verb = entry.isActive ? 'Deactivate' : 'Activate';
  const flip = useMutation({
    mutationFn: () => saveEntry(organizationId, inputOf({ ...valuesOfEntry(entry), isActive: !entry.isActive }, entry.id)),
    meta: { ownErrors: true },
    onSuccess: () => {
      notify('success', entry.isActive ? 'The Directory Entry was deactivated.' : 'The Directory Entry was activated.');
      onClose();
    },
    onError: (error) => reportFailure(error, 'There was an error activating or deactivating this OID.'),
  });
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      onConfirm={() => flip.mutate()}
      title={`${verb} Directory Entry`}
      subject={`${entry.displayName}, ${entry.organizationId}`}
      confirmLabel={verb}
      danger={entry.isActive}
      busy={flip.isPending}
    />
  );
}
