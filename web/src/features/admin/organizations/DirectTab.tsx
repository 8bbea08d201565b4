import { Menu } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { IconAt, IconCertificateOff, IconPencil, IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { api, unwrap } from '@/api/client';
import { DirectAddressForm, DirectAddressName } from '@/api/limits.gen';
import { $api, refresh } from '@/api/query';
import type { CertificateChange, DirectSource } from '@/api/types';
import { CrudSection } from '@/shared/crud/CrudPage';
import { EditDialog } from '@/shared/crud/EditDialog';
import { textField } from '@/shared/form/fields';
import { formatDateTime } from '@/shared/format';
import { useAsk } from '@/shared/ui/AskDialog';
import { Notice } from '@/shared/ui/blocks';
import { MoreMenu } from '@/shared/ui/MoreMenu';

const ADDRESSES = '/api/organizations/{id}/directaddresses';
const at = (id: string) => ({ params: { path: { id } } });

const nameField = textField('Name', { description: 'What the organization calls it, such as “Front desk”.' });

function RenameDialog({ organizationId, address, onClose }: { organizationId: string; address: DirectSource; onClose: () => void }) {
  const client = useQueryClient();
  return (
    <EditDialog
      noun="Direct address"
      title="Rename Direct address"
      subject={address.address}
      fields={{ displayName: nameField }}
      limits={DirectAddressName}
      saved={address}
      save={async ({ displayName }) => {
        const params = { path: { id: organizationId, addressId: address.id } };
        await api.PUT(`${ADDRESSES}/{addressId}`, { params, body: { displayName } });
        await refresh(client, ADDRESSES);
      }}
      done="The Direct address was renamed."
      failed="The Direct address could not be renamed. Please try again."
      onClose={onClose}
    />
  );
}

/** How the domain of the organization stands, in a sentence. */
function Domain({ organizationId }: { organizationId: string }) {
  const client = useQueryClient();
  const [ask, question] = useAsk();
  const replace = (certificate: CertificateChange) => async () => {
    await unwrap(api.PUT('/api/organizations/{id}/directsettings', { ...at(organizationId), body: { certificate } }));
    await refresh(client, '/api/organizations/{id}/direct');
  };
  const { data } = useQuery($api.queryOptions('get', '/api/organizations/{id}/direct', at(organizationId)));
  if (!data) return null;
  const { domain, isServed, certificate } = data;
  if (!isServed) return <Notice kind="info">{`Mail for ${domain} is taken once the organization is activated.`}</Notice>;
  return certificate ? (
    <div className="adm-about cp-row">
      <p className="cp-second cp-grow">
        Mail for <b className="cp-strong">{domain}</b> is taken. Its certificate holds until {formatDateTime(certificate.notAfter)}.
      </p>
      <MoreMenu label="More for the certificate">
        <Menu.Item
          leftSection={<IconRefresh size={16} stroke={1.6} />}
          onClick={() =>
            ask({
              title: 'Renew Certificate',
              subject: domain,
              question: 'A new certificate takes the place of the present one. Mail that is on its way can still be opened. Are you sure?',
              label: 'Renew',
              run: replace('Renew'),
              done: 'The certificate was renewed.',
              failed: 'The certificate could not be renewed. Please try again.',
            })
          }
        >
          Renew
        </Menu.Item>
        <Menu.Item
          data-danger
          leftSection={<IconCertificateOff size={16} stroke={1.6} />}
          onClick={() =>
            ask({
              title: 'Revoke Certificate',
              subject: domain,
              question:
                'For when somebody else may have its key. A new one takes its place at once, and mail that was encrypted to the present one cannot be opened any more. Are you sure?',
              label: 'Revoke and replace',
              danger: true,
              run: replace('Revoke'),
              done: 'The certificate was revoked and replaced.',
              failed: 'The certificate could not be replaced. Please try again.',
            })
          }
        >
          Revoke and replace
        </Menu.Item>
      </MoreMenu>
      {question}
    </div>
  ) : (
    <Notice kind="warning">{`The certificate of ${domain} is being issued. Nobody can write to it before.`}</Notice>
  );
}

/** The Direct domain of an organization and its addresses (who may send from them is chosen with each user). */
export function DirectTab({ organizationId }: { organizationId: string }) {
  const { data } = useQuery($api.queryOptions('get', '/api/organizations/{id}/direct', at(organizationId)));
  const [renamed, rename] = useState<DirectSource | null>(null);
  return (
    <section className="adm-panel" aria-labelledby="direct-addresses">
      <Domain organizationId={organizationId} />
      <CrudSection
        heading={<h2 id="direct-addresses">Direct addresses</h2>}
        title="Direct addresses"
        noun="Direct address"
        nouns="Direct addresses"
        icon={IconAt}
        list={({ search, page, size }) =>
          $api.queryOptions('get', ADDRESSES, {
            params: { path: { id: organizationId }, query: { search, pageNumber: page, pageSize: size } },
          })
        }
        columns={[
          { key: 'address', title: 'Address', primary: true, text: (a) => a.address },
          { key: 'displayName', title: 'Name', width: 220, text: (a) => a.displayName, drop: 1 },
          { key: 'users', title: 'People who may send from it', width: 220, text: (a) => a.users.toLocaleString('en-US') },
        ]}
        search="Search by address"
        fields={{
          localPart: textField('Address', { description: `Before @${data?.domain ?? 'the domain'}, such as “frontdesk”.` }),
          displayName: nameField,
        }}
        limits={DirectAddressForm}
        create={(body) => api.POST(ADDRESSES, { ...at(organizationId), body })}
        menu={(row) => [{ label: 'Rename', icon: IconPencil, run: () => rename(row) }]}
        words={{ created: 'The Direct address was created. The administrators of the organization may send from it.' }}
      />
      {renamed && <RenameDialog organizationId={organizationId} address={renamed} onClose={() => rename(null)} />}
    </section>
  );
}
