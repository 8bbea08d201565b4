import { api, unwrap } from '@/api/client';
import { queryOf } from '@/api/query';
import type { InteroperabilitySettings } from '@/api/types';
import { queryClient } from '@/app/session';
import { checkboxField, choiceField, numberField } from '@/shared/form/fields';
import { Saved } from '@/shared/form/saved';
import { latestSecurity, saveSecurity, securityQuery } from './security';
import { SettingsForm } from './SettingsForm';

const sessionFields = {
  idleMinutes: numberField('Minutes of inactivity until sign-out', {
    description: '5 to 30.',
    required: true,
    check: (v) => (v !== null && v >= 5 && v <= 30 ? null : 'Please enter 5 to 30 minutes.'),
  }),
  requireSecondFactor: checkboxField('Everybody needs a second step to sign in'),
};

type Values = Record<string, unknown>;
const savesFiles = ({ exportMode }: Values) => exportMode === 'save_as';
const documentFields = {
  exportMode: choiceField(
    'Processed documents',
    [
      { value: 'save_as', label: 'Save as files' },
      { value: 'print', label: 'Print' },
    ],
    { required: true },
  ),
  exportOption: choiceField(
    'Saved as',
    [
      { value: 'standard', label: 'The file itself' },
      { value: 'xds-sd_cda', label: 'A clinical document (XDS-SD) around the file' },
    ],
    { required: true, when: savesFiles },
  ),
  exportDirectoryType: choiceField(
    'Folders',
    [
      { value: 'single_directory', label: 'One folder for all' },
      { value: 'patient_folder', label: 'A folder for each patient' },
    ],
    { required: true, when: savesFiles },
  ),
  exportVisitDirectory: checkboxField('A folder for each visit, within that of the patient', {
    when: (v: Values) => savesFiles(v) && v.exportDirectoryType === 'patient_folder',
  }),
  nonPatientExport: checkboxField('Documents may be processed without a patient', { when: savesFiles }),
  gaps: choiceField(
    'Without patient or document type, a document is processed',
    [
      { value: 'ask', label: 'Ask first' },
      { value: 'refuse', label: 'Never' },
    ],
    { required: true, when: (v: Values) => savesFiles(v) && v.nonPatientExport === true },
  ),
  suppressDefaultFaxCoverSheet: checkboxField('New faxes begin without cover page and message'),
  suppressFaxMetadataPages: checkboxField('Faxes have no pages of details about patient and files'),
  deliverySummaryEnableDownload: checkboxField('Delivery summaries can be downloaded'),
};

const INTEROPERABILITY = '/api/settings/interoperability';
const of = (organizationId: string) => ({ params: { query: { organizationId } } });
const documentsQuery = (organizationId: string) => ({
  ...queryOf('get', INTEROPERABILITY, of(organizationId)),
  staleTime: 0,
  refetchOnWindowFocus: false,
});

/** Sign-in and document settings of an organization. Its administrators can change them too. */
export function SettingsTab({ organizationId }: { organizationId: string }) {
  return (
    <>
      <Saved query={securityQuery(organizationId)} failed="The settings could not be loaded">
        {(saved) => (
          <SettingsForm
            title="Session and sign-in"
            text="Requirements for signing in to the organization."
            what="set of settings"
            fields={sessionFields}
            saved={saved}
            latest={() => latestSecurity(organizationId)}
            save={({ idleMinutes, requireSecondFactor }, version, record) =>
              saveSecurity(organizationId, {
                ...record,
                requireSecondFactor,
                idleMinutes: idleMinutes ?? record.idleMinutes,
                version: version ?? record.version,
              })
            }
            done="The settings were saved."
            failed="The settings could not be saved. Please try again."
          />
        )}
      </Saved>
      <Saved query={documentsQuery(organizationId)} failed="The document settings could not be loaded">
        {(saved) => (
          <SettingsForm
            title="Documents"
            text="Export, faxes and delivery summaries."
            what="set of document settings"
            fields={documentFields}
            saved={saved}
            latest={() => queryClient.fetchQuery(documentsQuery(organizationId))}
            save={(values, version) => {
              const body = { ...values, version } as InteroperabilitySettings;
              return unwrap(api.PUT(INTEROPERABILITY, { ...of(organizationId), body }));
            }}
            done="The document settings were saved."
            failed="The document settings could not be saved. Please try again."
          />
        )}
      </Saved>
    </>
  );
}
