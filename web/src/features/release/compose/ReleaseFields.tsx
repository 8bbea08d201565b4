import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconShieldLock } from '@tabler/icons-react';
import { useHasRole } from '@/app/session';
import { formatAddress } from '@/shared/format';
import { Select } from '@/shared/form/Select';
import { FaxIcon } from '@/shared/ui/icons';
import { useViewport } from '@/shared/useViewport';
import { classificationsQuery } from '../api';
import { AddressFields } from './AddressFields';
import type { Mode } from './model';
import { fieldId, type ReleaseErrors } from './useReleaseErrors';
import type { ReleaseForm } from './useReleaseForm';

const FIXED = 'Fixed by the release type';
const NO_SOURCE = 'You have no address to send from. Ask an administrator of your organization.';
const NONE_GIVEN = 'You have no address to send from. Choose who can send under Direct addresses or Fax.';

type Props = { mode: Mode; form: ReleaseForm; errors: ReleaseErrors };

/** Release type, sender, recipients and subject. */
export function ReleaseFields({ mode, form, errors }: Props) {
  const { isPhone } = useViewport();
  const { values, type, isToFixed } = form;
  const added = form.hasOthers ? `“${type?.name}” added ${formatAddress(type?.destinationAddress ?? '')}.` : undefined;
  return (
    <>
      <div className="rel-pair">
        <TypeField mode={mode} form={form} error={errors.of('releaseType')} />
        <FromField form={form} error={errors.of('from')} />
      </div>
      {form.faxSources.length > 1 && <FaxFromField form={form} />}
      <AddressFields
        values={values}
        onTo={form.enterTo}
        onCopies={form.set}
        invalid={errors.invalid}
        error={errors.of('to')}
        locked={isToFixed}
        hint={isToFixed ? FIXED : added}
        startsHere={mode === 'new' && !isPhone}
      />
      <TextInput
        size="md"
        label="Subject"
        autoComplete="off"
        value={values.subject}
        onChange={(e) => form.set({ subject: e.currentTarget.value })}
      />
    </>
  );
}

type FieldProps = { form: ReleaseForm; error: string | undefined };

function TypeField({ mode, form, error }: FieldProps & { mode: Mode }) {
  const { values, releaseTypes } = form;
  const classifications = useQuery({ ...classificationsQuery, enabled: Boolean(values.classification) });
  return (
    <Select
      id={fieldId('releaseType')}
      size="md"
      label="Release type"
      required={mode !== 'reply'}
      searchable
      openOnFocus={false}
      clearable={mode === 'reply'}
      nothingFoundMessage="No match"
      data={releaseTypes.filter((t) => !t.isRetired || t.id === values.releaseTypeId).map((t) => ({ value: t.id, label: t.name }))}
      value={values.releaseTypeId}
      onChange={form.chooseType}
      error={error}
      description={values.classification ? classifications.data?.find((c) => c.code === values.classification)?.name : undefined}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
    />
  );
}

function FromField({ form: { values, set, locks, source, sources }, error }: FieldProps) {
  const noSource = useHasRole('Administrator') ? NONE_GIVEN : NO_SOURCE;
  return (
    <Select
      id={fieldId('from')}
      size="md"
      label="From"
      required
      disabled={locks.from}
      data={sources.map((s) => ({ value: s.fullAddress, label: formatAddress(s.fullAddress) }))}
      value={values.from || null}
      onChange={(v) => set({ from: v ?? '' })}
      leftSection={source && (source.type === 'Fax' ? <FaxIcon size={16} stroke={1.6} /> : <IconShieldLock size={16} stroke={1.6} />)}
      leftSectionWidth={32}
      error={error ?? (sources.length === 0 ? noSource : undefined)}
      description={locks.from ? FIXED : undefined}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
    />
  );
}

const FaxFromField = ({ form: { values, set, faxSources } }: { form: ReleaseForm }) => (
  <Select
    id="release-fax-from"
    size="md"
    label="Fax number to send from"
    description="Used for recipients with a fax number"
    data={faxSources.map((s) => ({
      value: s.fullAddress,
      label: [formatAddress(s.fullAddress), s.displayName].filter(Boolean).join(', '),
    }))}
    value={values.faxFrom || null}
    onChange={(v) => set({ faxFrom: v ?? '' })}
    inputWrapperOrder={['label', 'input', 'description', 'error']}
  />
);
