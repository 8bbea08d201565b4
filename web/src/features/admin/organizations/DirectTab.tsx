import { Menu, SegmentedControl } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { IconCertificateOff, IconRefresh } from '@tabler/icons-react';
import { api, unwrap } from '@/api/client';
import { queryOf, refresh } from '@/api/query';
import type { CertificateChange } from '@/api/types';
import { DirectAddresses } from '@/domain/addresses/DirectAddresses';
import { formatDateTime } from '@/shared/format';
import { paths } from '@/shared/paths';
import { AppLink } from '@/shared/ui/AppLink';
import { useAsk } from '@/shared/ui/AskDialog';
import { Notice } from '@/shared/ui/blocks';
import { MoreMenu } from '@/shared/ui/MoreMenu';
import { useListState } from '@/shared/table/useListState';
import { AnchorList } from '../trust/AnchorList';
import { BundleList } from '../trust/BundleList';

const at = (id: string) => ({ params: { path: { id } } });

/** The state of the organization's domain, in a sentence. */
function Domain({ organizationId }: { organizationId: string }) {
  const client = useQueryClient();
  const [ask, question] = useAsk();
  const replace = (certificate: CertificateChange) => async () => {
    await unwrap(api.PUT('/api/organizations/{id}/directsettings', { ...at(organizationId), body: { certificate } }));
    await refresh(client, '/api/organizations/{id}/direct');
  };
  const { data } = useQuery(queryOf('get', '/api/organizations/{id}/direct', at(organizationId)));
  if (!data) return null;
  const { domain, isServed, certificate } = data;
  if (!isServed) return <Notice kind="info">{`Mail for ${domain} is accepted once the organization is activated.`}</Notice>;
  return certificate ? (
    <div className="adm-about cp-row">
      <p className="cp-second cp-grow">
        Mail for <b className="cp-strong">{domain}</b> is accepted. Its certificate is valid until {formatDateTime(certificate.notAfter)}.{' '}
        <AppLink href={paths.adminTrust('own')}>What partners need</AppLink>
      </p>
      <MoreMenu label="More for the certificate">
        <Menu.Item
          leftSection={<IconRefresh size={16} stroke={1.6} />}
          onClick={() =>
            ask({
              title: 'Renew Certificate',
              subject: domain,
              question: 'A new certificate replaces the current one. Mail on its way can still be opened. Are you sure?',
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
                'Use this when somebody else may have its key. A new certificate replaces it at once, and mail encrypted to the current one can no longer be opened. Are you sure?',
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
    <Notice kind="warning">{`The certificate of ${domain} is being issued. The domain cannot receive mail before that.`}</Notice>
  );
}

type Shown = 'addresses' | 'bundles' | 'anchors';
const LISTS: { value: Shown; label: string }[] = [
  { value: 'addresses', label: 'Addresses' },
  { value: 'bundles', label: 'Trust bundles' },
  { value: 'anchors', label: 'Trust anchors' },
];

/**
 * The Direct domain of an organization, its addresses (whose senders and readers the organization chooses), and the certificates
 * that it trusts.
 */
export function DirectTab({ organizationId }: { organizationId: string }) {
  const { data } = useQuery(queryOf('get', '/api/organizations/{id}/direct', at(organizationId)));
  const list = useListState();
  const shown = LISTS.find(({ value }) => value === list.filter('list'))?.value ?? 'addresses';
  // Each list starts fresh: their pages and search words differ.
  const show = (next: string) =>
    list.set({ list: next === 'addresses' ? undefined : next, search: undefined, sort: undefined, dir: undefined } as object);
  return (
    <section className="adm-panel" aria-label="Direct">
      <Domain organizationId={organizationId} />
      <div className="adm-about">
        <SegmentedControl aria-label="View" data={LISTS} value={shown} onChange={show} />
      </div>
      {shown === 'addresses' && (
        <DirectAddresses organizationId={organizationId} domain={data?.domain} heading={<h2>Direct addresses</h2>} />
      )}
      {shown === 'bundles' && <BundleList organizationId={organizationId} heading={<h2>Trust: bundles</h2>} />}
      {shown === 'anchors' && <AnchorList organizationId={organizationId} heading={<h2>Trust: anchors</h2>} />}
    </section>
  );
}
