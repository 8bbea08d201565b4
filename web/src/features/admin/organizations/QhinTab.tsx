import { api, unwrap } from '@/api/client';
import { QhinForm } from '@/api/limits.gen';
import { queryOf } from '@/api/query';
import { queryClient } from '@/app/session';
import { checkboxField, textField } from '@/shared/form/fields';
import { Saved } from '@/shared/form/saved';
import { SettingsForm } from './SettingsForm';

const PATH = '/api/admin/organizations/{id}/qhin';
const at = (id: string) => ({ params: { path: { id } } });
const qhinQuery = (id: string) => ({ ...queryOf('get', PATH, at(id)), staleTime: 0, refetchOnWindowFocus: false });

const takesPart = ({ participates }: Record<string, unknown>) => participates === true;
const url = (label: string, transaction: string) =>
  textField(label, { description: `The https address that the network calls (${transaction}).`, when: takesPart });
const fields = {
  participates: checkboxField('The organization takes part'),
  qhinName: textField('Name of the QHIN', { when: takesPart, required: 'Please enter the name of the QHIN.' }),
  homeCommunityId: textField('Home community ID', {
    description: 'An object identifier, such as 2.16.840.1.113883.3.9999.',
    when: takesPart,
    required: 'Please enter the home community ID under which the organization takes part.',
  }),
  patientDiscoveryUrl: url('Patient discovery', 'ITI-55'),
  documentQueryUrl: url('Document query', 'ITI-38'),
  documentRetrieveUrl: url('Document retrieval', 'ITI-39'),
};

/** The participation of an organization in TEFCA. */
export function QhinTab({ organizationId }: { organizationId: string }) {
  return (
    <Saved query={qhinQuery(organizationId)} failed="The participation could not be loaded">
      {(saved) => (
        <SettingsForm
          title="QHIN"
          text="Participation in TEFCA through a Qualified Health Information Network."
          what="participation"
          fields={fields}
          limits={QhinForm}
          saved={saved}
          latest={() => queryClient.fetchQuery(qhinQuery(organizationId))}
          save={(values, version) => unwrap(api.PUT(PATH, { ...at(organizationId), body: { ...values, version } }))}
          done="The participation was saved."
          failed="The participation could not be saved. Please try again."
        />
      )}
    </Saved>
  );
}
