import { IconTransferIn } from '@tabler/icons-react';
import { api } from '@/api/client';
import { InboundConnectionForm } from '@/api/limits.gen';
import { queryOf } from '@/api/query';
import type { InboundConnectionKind } from '@/api/types';
import { CrudSection } from '@/shared/crud/CrudPage';
import { checkboxField, choiceField, tagsField, textField } from '@/shared/form/fields';
import { organizationField } from '@/shared/form/OrganizationSelect';
import { formatCount, formatWhen } from '@/shared/format';
import { Status } from '@/shared/ui/status';
import { at } from '../lists/fields';
import { KINDS, kindOf, organizationOf, senderOf } from './words';

const CONNECTIONS = '/api/admin/inboundconnections';

type Values = Record<string, unknown>;
const isHl7 = (values: Values) => values.kind !== 'Xdr';
/** Files have no sender on the network. */
const isOnNetwork = (values: Values) => values.kind !== 'Folder';
/** These fields of a connection cannot be changed. */
const isNew = (_: Values, isNewConnection: boolean) => isNewConnection;

const fields = {
  name: textField('Name', { description: 'The sender name of its messages.' }),
  kind: choiceField<InboundConnectionKind>('Kind', KINDS, { required: true, initial: 'Mllp', when: isNew }),
  isForAll: checkboxField('All organizations', {
    description: 'The recipient’s Direct address decides.',
    when: (values, isNewConnection) => isNewConnection && !isHl7(values),
  }),
  organizationId: organizationField('Organization', {
    when: (values, isNewConnection) => isNewConnection && (isHl7(values) || !values.isForAll),
  }),
  sendingFacility: textField('Sending facility', { description: 'MSH-4: name or OID. Leave empty for any.', when: isHl7, half: true }),
  sendingApplication: textField('Sending application', { description: 'MSH-3. Leave empty for any.', when: isHl7, half: true }),
  receivingFacility: textField('Receiving facility', { description: 'MSH-6. Leave empty for any.', when: isHl7 }),
  networks: tagsField('Networks', {
    description: 'The sender’s network, such as 10.2.0.0/16. Can be empty only with a certificate.',
    when: isOnNetwork,
  }),
  certificate: textField('Client certificate', {
    rows: 3,
    description: 'In PEM, or its SHA-256 fingerprint. Only with TLS.',
    when: isOnNetwork,
  }),
  assertionCertificate: textField('Assertion certificate', {
    rows: 3,
    description:
      'The certificate that signs SAML assertions, in PEM, or its SHA-256 fingerprint. Requests without an assertion are then refused.',
    when: (values) => !isHl7(values),
  }),
  looseAssertions: checkboxField('Loose assertions', {
    description:
      'Only for partners without a stricter option. Audience, length of validity, reuse and presenter of an assertion are not checked: a leaked one gives others access until it expires.',
    when: (values) => !isHl7(values) && !!values.assertionCertificate,
  }),
  assignedTo: textField('Assign to', { description: 'User name of the person who gets messages that no intake rule assigns.', half: true }),
  documentType: textField('Document type', { description: 'Applied to documents that name none.', half: true }),
  isPrescriptionNetwork: checkboxField('Prescription network', {
    description: 'Its messages may not name a future visit.',
  }),
  isEnabled: checkboxField('Enabled', { initial: true, description: 'When off, all its messages are refused.' }),
};

type FormValues = { [K in keyof typeof fields]: (typeof fields)[K]['initial'] };

const bodyOf = ({ isForAll, organizationId, kind, ...values }: FormValues) => ({
  ...values,
  kind: kind!,
  organizationId: kind === 'Xdr' && isForAll ? null : organizationId,
});

/** The systems that may send documents here. */
export const ConnectionList = () => (
  <CrudSection
    title="Inbound connections"
    noun="inbound connection"
    icon={IconTransferIn}
    list={({ search, page, size, filter }) =>
      queryOf('get', CONNECTIONS, {
        params: { query: { search, kind: filter('kind') as InboundConnectionKind | undefined, pageNumber: page, pageSize: size } },
      })
    }
    columns={[
      { key: 'name', title: 'Name', primary: true, text: (c) => c.name },
      { key: 'kind', title: 'Kind', width: 170, text: (c) => kindOf(c.kind) },
      { key: 'organization', title: 'Organization', width: 180, text: organizationOf },
      { key: 'sender', title: 'Known by', drop: 1, text: senderOf },
      {
        key: 'lastReceivedAt',
        title: 'Last message',
        width: 150,
        numeric: true,
        drop: 2,
        text: (c) => (c.lastReceivedAt ? formatWhen(c.lastReceivedAt) : 'None yet'),
      },
      { key: 'received', title: 'Received', width: 95, numeric: true, text: (c) => formatCount(c.receivedCount) },
      { key: 'refused', title: 'Refused', width: 90, numeric: true, drop: 2, text: (c) => formatCount(c.refusedCount) },
      {
        key: 'isEnabled',
        title: 'State',
        width: 110,
        render: (c) => <Status state={c.isEnabled ? 'Activated' : 'Disabled'}>{c.isEnabled ? 'Enabled' : 'Disabled'}</Status>,
      },
    ]}
    search="Search by name"
    filters={[{ name: 'kind', label: 'Kind', choices: [...KINDS] }]}
    fields={fields}
    limits={InboundConnectionForm}
    read={(id) => queryOf('get', '/api/admin/inboundconnections/{id}', at(id))}
    create={(values) => api.POST(CONNECTIONS, { body: bodyOf(values) })}
    save={(id, values, version) => api.PUT('/api/admin/inboundconnections/{id}', { ...at(id), body: { ...bodyOf(values), version } })}
    remove={({ id }) => api.DELETE('/api/admin/inboundconnections/{id}', at(id))}
    isMuted={(c) => !c.isEnabled}
    second={(c) => (
      <span className="cp-ell">
        {kindOf(c.kind)} · {organizationOf(c)}
      </span>
    )}
    words={{
      deleteQuestion: 'Its messages will be refused. Received messages are kept. Are you sure?',
      emptyText: 'Add a connection to receive documents by HL7 v2 or XDR.',
    }}
  />
);
