import { Button, NumberInput, Radio, Switch } from '@mantine/core';
import type { InteroperabilitySettings } from '@/api/types';
import { api, unwrap } from '@/api/client';
import { queryClient } from '@/app/session';
import { interoperabilityQuery } from '@/domain/messaging/api';
import { Form } from '@/shared/form/Form';
import { TagInput } from '@/shared/form/inputs';
import { changedFields, useConflict } from '@/shared/form/conflict';
import { Saved } from '@/shared/form/saved';
import { useServerForm } from '@/shared/form/useServerForm';
import { notify } from '@/shared/notify';
import { NoticeList } from '@/shared/ui/blocks';
import { LeaveGuard } from '@/shared/ui/LeaveGuard';
import { PageHead } from '@/shared/ui/PageHead';
import { Section } from '../Section';

/** The form is filled from it once, so it must be current. */
const savedQuery = { ...interoperabilityQuery, staleTime: 0, refetchOnWindowFocus: false, meta: { page: true } };

export function DocumentsPage() {
  return (
    <>
      <PageHead title="Documents" />
      <div className="cp-scroll acc-body">
        <Saved query={savedQuery} failed="The settings could not be loaded">
          {(saved) => <DocumentsForm saved={saved} />}
        </Saved>
      </div>
    </>
  );
}

const LABELS: Partial<Record<keyof InteroperabilitySettings, string>> = {
  exportMode: 'Processed documents',
  exportOption: 'Saved as',
  exportDirectoryType: 'Folders',
  exportVisitDirectory: 'A folder for each visit',
  nonPatientExport: 'Documents without a patient',
  gaps: 'Without patient or document type, a document is processed',
  suppressDefaultFaxCoverSheet: 'Cover page',
  suppressFaxMetadataPages: 'Pages of details',
  deliverySummaryEnableDownload: 'Delivery summaries',
  returnAssignmentsAfterHours: 'Assignments return after',
  linkCertainPatients: 'Certain patients',
  recordNumberAuthorities: 'Own record numbers',
};

async function save(body: InteroperabilitySettings) {
  // An empty field is not a number.
  const returnAssignmentsAfterHours = body.returnAssignmentsAfterHours || null;
  const saved = await unwrap(api.PUT('/api/settings/interoperability', { body: { ...body, returnAssignmentsAfterHours } }));
  queryClient.setQueryData(interoperabilityQuery.queryKey, saved);
  return saved;
}

function DocumentsForm({ saved }: { saved: InteroperabilitySettings }) {
  const { form, busy, formErrors, onSubmit } = useServerForm({
    initialValues: saved,
    submit: async (values) => {
      const isSaved = await conflict.save((version) => save({ ...values, version: version ?? saved.version }));
      if (!isSaved) return false;
      form.resetDirty();
      notify('success', 'The document settings were saved.');
    },
  });
  const conflict = useConflict({
    saved,
    latest: () => queryClient.fetchQuery({ ...interoperabilityQuery, staleTime: 0 }),
    what: 'set of document settings',
    changes: changedFields(LABELS),
    button: 'Save settings',
    onLoad: (theirs) => form.setValues(theirs),
  });
  const checked = (field: keyof InteroperabilitySettings) => form.getInputProps(field, { type: 'checkbox' });
  const isSaving = form.values.exportMode === 'save_as';
  return (
    <Form onSubmit={onSubmit}>
      <LeaveGuard isDirty={() => form.isDirty()} subject="Document settings" />
      {conflict.banner}
      <NoticeList kind="error" messages={formErrors} />
      <Section
        title="Processed documents"
        text="What happens to an Intake document once it is filed. This decides which details can be filled in and which are required. The Export menu of a message saves files as received, or as PDF."
      >
        <div className="acc-form">
          <Radio.Group label={LABELS.exportMode} {...form.getInputProps('exportMode')}>
            <div className="acc-choices">
              <Radio value="save_as" label="Save as files" />
              <Radio
                value="print"
                label="Print"
                description="Documents are exported as received: patient and file details are not edited."
              />
            </div>
          </Radio.Group>
          {isSaving && (
            <>
              <Radio.Group label={LABELS.exportOption} {...form.getInputProps('exportOption')}>
                <div className="acc-choices">
                  <Radio value="standard" label="The file itself" />
                  <Radio value="xds-sd_cda" label="A clinical document (XDS-SD) around the file" />
                </div>
              </Radio.Group>
              <Radio.Group label={LABELS.exportDirectoryType} {...form.getInputProps('exportDirectoryType')}>
                <div className="acc-choices">
                  <Radio value="single_directory" label="One folder for all" />
                  <Radio value="patient_folder" label="A folder for each patient" />
                </div>
              </Radio.Group>
              <Switch
                label="A folder for each visit, within that of the patient"
                description="Adds visit date and visit ID to the Intake."
                disabled={form.values.exportDirectoryType !== 'patient_folder'}
                {...checked('exportVisitDirectory')}
              />
            </>
          )}
        </div>
      </Section>
      <Section title="Patients" text="Details that a document needs before it is processed.">
        <div className="acc-form">
          <Switch
            label="Documents may be processed without a patient"
            description="Off: the patient's name and a document type for each file are required, also for several messages at once."
            disabled={!isSaving}
            {...checked('nonPatientExport')}
          />
          {isSaving && form.values.nonPatientExport && (
            <Radio.Group label={LABELS.gaps} {...form.getInputProps('gaps')}>
              <div className="acc-choices">
                <Radio value="ask" label="Ask first" />
                <Radio value="refuse" label="Never" description="The name or ID of the patient and a document type are required." />
              </div>
            </Radio.Group>
          )}
        </div>
      </Section>
      <Section title="Assignments" text="Assignments that are not filed in time return to the shared queue.">
        <div className="acc-form">
          <NumberInput
            label="Hours until an assignment returns"
            description="Leave empty to keep assignments until somebody changes them."
            min={1}
            max={720}
            maw={160}
            clampBehavior="strict"
            allowDecimal={false}
            {...form.getInputProps('returnAssignmentsAfterHours')}
            value={form.values.returnAssignmentsAfterHours ?? ''}
          />
        </div>
      </Section>
      <Section title="Patients" text="Patients read from documents are compared with your known patients.">
        <div className="acc-form">
          <Switch
            label="Link certain patient matches automatically"
            description="Otherwise every match is only suggested."
            {...checked('linkCertainPatients')}
          />
          <TagInput
            label={LABELS.recordNumberAuthorities}
            description="OIDs, or names in PID-3.4, of the authorities that assign your record numbers. Numbers of other authorities then never become the patient's record number. Leave empty to use the first number of a document."
            maxTags={10}
            {...form.getInputProps('recordNumberAuthorities')}
          />
        </div>
      </Section>
      <Section title="Faxes" text="Defaults for new faxes. The sender can change them for each fax.">
        <div className="acc-form">
          <Switch label="Without cover page and message" {...checked('suppressDefaultFaxCoverSheet')} />
          <Switch label="Without pages of details about patient and files" {...checked('suppressFaxMetadataPages')} />
        </div>
      </Section>
      <Section title="Delivery summaries" text="A PDF report on the delivery of a sent message.">
        <Switch label="Offer them for download" {...checked('deliverySummaryEnableDownload')} />
      </Section>
      <div className="acc-buttons">
        <Button type="submit" loading={busy}>
          Save settings
        </Button>
      </div>
    </Form>
  );
}
