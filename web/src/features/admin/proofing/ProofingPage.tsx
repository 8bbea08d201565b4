import { IconId } from '@tabler/icons-react';
import { queryOf, reshaped } from '@/api/query';
import { CrudPage } from '@/shared/crud/CrudPage';
import { formatDateTime, formatSize } from '@/shared/format';
import { paths } from '@/shared/paths';

/** The photo IDs waiting for a decision, the oldest first. */
export const ProofingPage = () => (
  <CrudPage
    title="Identity proofing"
    noun="photo ID"
    icon={IconId}
    list={() =>
      reshaped(queryOf('get', '/api/admin/users/idproof'), ({ items }) => ({
        items: items.map((item) => ({ ...item, id: `${item.userId} ${item.organizationId}` })),
        totalCount: items.length,
        totalIsCapped: false,
      }))
    }
    columns={[
      { key: 'fullName', title: 'Person', primary: true, text: (d) => d.fullName },
      { key: 'userName', title: 'Username', width: 240, drop: 2, text: (d) => d.userName },
      { key: 'organization', title: 'Organization', width: 240, text: (d) => d.organizationName },
      { key: 'size', title: 'File', width: 110, drop: 1, text: (d) => formatSize(d.sizeInBytes) },
      { key: 'uploadedAt', title: 'Since', width: 190, numeric: true, text: (d) => formatDateTime(d.uploadedAt) },
    ]}
    href={(d) => paths.adminProofingOf(d.userId, d.organizationId)}
    second={(d) => <span className="cp-ell">{`${d.organizationName} · ${formatDateTime(d.uploadedAt)}`}</span>}
    words={{
      empty: 'Nothing to review',
      emptyText: 'You get an e-mail when an administrator sends a photo ID.',
    }}
  />
);
