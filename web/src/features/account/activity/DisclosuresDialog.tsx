import { TextInput } from '@mantine/core';
import { now } from '@/shared/clock';
import { DateInput } from '@/shared/form/DateInput';
import { FileFormat } from '@/shared/form/FileFormat';
import { useServerForm } from '@/shared/form/useServerForm';
import { notify } from '@/shared/notify';
import { fetchReport } from '@/shared/reportFile';
import { isIsoDate, isoDate } from '@/shared/rules/dates';
import { DEFAULT_FIELD_ERROR, required } from '@/shared/rules/fields';
import { madeName, saveFile } from '@/shared/saveFile';
import { FormDialog } from '@/shared/ui/FormDialog';

type Values = { lastName: string; firstName: string; birthDate: string; form: string };

/** The disclosures of a patient, as a file. The patient's details are sent in no URL and stored nowhere. */
export function DisclosuresDialog({ onClose }: { onClose: () => void }) {
  const { form, ...rest } = useServerForm<Values>({
    initialValues: { lastName: '', firstName: '', birthDate: '', form: 'csv' },
    validate: {
      lastName: required(),
      firstName: required(),
      birthDate: (date) => (isIsoDate(date) && date <= isoDate(now()) ? null : DEFAULT_FIELD_ERROR),
    },
    submit: async ({ form, ...patient }) => {
      const isPdf = form === 'pdf';
      const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(patient) };
      const file = await fetchReport(`/api/patients/disclosures${isPdf ? '?asPdf=true' : ''}`, init);
      if (!file) return false;
      saveFile(file, madeName('disclosures', isPdf ? 'pdf' : 'csv'));
      // Without the header and the end of the last line. A PDF states itself whether there is something.
      const count = isPdf ? 1 : (await file.text()).split('\r\n').length - 2;
      if (count > 0) notify('success', 'The disclosures were saved.');
      else notify('info', 'Nothing about this patient was sent in the last six years. The file contains only headings.');
      onClose();
    },
  });
  return (
    <FormDialog title="Disclosures of a patient" label="Download" onClose={onClose} {...rest}>
      <p className="cp-second">
        Recipients of messages about a patient in the last six years, one per line. Includes messages deleted since.
      </p>
      <div className="cp-grid2">
        <TextInput
          size="md"
          label="Last name"
          required
          autoComplete="off"
          maxLength={255}
          data-autofocus
          {...form.getInputProps('lastName')}
        />
        <TextInput size="md" label="First name" required autoComplete="off" maxLength={255} {...form.getInputProps('firstName')} />
        <DateInput size="md" label="Date of birth" required keepInvalid {...form.getInputProps('birthDate')} />
      </div>
      <FileFormat {...form.getInputProps('form')} />
    </FormDialog>
  );
}
