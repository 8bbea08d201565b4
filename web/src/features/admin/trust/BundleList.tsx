import { useQuery, useQueryClient } from '@tanstack/react-query';
import { IconAlertTriangle, IconPackages, IconRefresh } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { api, unwrap } from '@/api/client';
import { TrustBundleForm } from '@/api/limits.gen';
import { queryOf, refresh } from '@/api/query';
import type { TrustBundle } from '@/api/types';
import { CrudSection } from '@/shared/crud/CrudPage';
import { checkboxField, textField } from '@/shared/form/fields';
import { formatCount, formatDateTime, formatDay, formatWhen } from '@/shared/format';
import { Notice } from '@/shared/ui/blocks';
import { Chip } from '@/shared/ui/status';
import { NESTED_SIZE, NestedGrid } from '../runs/NestedGrid';
import { at } from '../lists/fields';
import { certificateField } from './certificateField';
import { chosen, REVOCATION, type Whose, whomFields, whoOf } from './whom';
import classes from './trust.module.css';

const BUNDLES = '/api/admin/trust/bundles';
export const ANCHORS = '/api/admin/trust/anchors';

const fieldsFor = (whose: Whose) => ({
  name: textField('Name', { description: 'A name for operators, such as the name of the community.' }),
  url: textField('Web address', {
    description: 'The address of a .p7b or .p7m file. It is fetched when you save, then once a day. An http address requires a signer.',
  }),
  ...whomFields(whose),
  signer: certificateField('Certificate of the signer', {
    description: 'The required signer (.p7m). Leave empty for an unsigned bundle.',
  }),
  requiresRevocation: checkboxField('Require revocation lists', { description: REVOCATION }),
});

const Standing = ({ bundle }: { bundle: TrustBundle }) =>
  bundle.lastError ? (
    <Chip tone="danger" icon={IconAlertTriangle}>
      Not refreshed
    </Chip>
  ) : bundle.isUnprotected ? (
    <Chip tone="warn" icon={IconAlertTriangle}>
      Not protected
    </Chip>
  ) : null;
const standingOf = (bundle: TrustBundle) => (bundle.lastError ? 'Not refreshed' : bundle.isUnprotected ? 'Not protected' : 'Up to date');

/** The published bundles whose certificates are trusted. */
export function BundleList({ heading, ...whose }: Whose & { heading?: ReactNode }) {
  const client = useQueryClient();
  const { organizationId } = whose;
  // A refusal is in the row as well.
  const fetchAgain = (id: string) => async () => {
    try {
      await unwrap(api.POST('/api/admin/trust/bundles/{id}/refresh', at(id)));
    } finally {
      await refresh(client, BUNDLES, ANCHORS);
    }
  };
  return (
    <CrudSection<TrustBundle, ReturnType<typeof fieldsFor>, TrustBundle>
      heading={heading}
      title="Trust bundles"
      noun="trust bundle"
      icon={IconPackages}
      list={({ page, size }) => queryOf('get', BUNDLES, { params: { query: { organizationId, pageNumber: page, pageSize: size } } })}
      columns={[
        { key: 'name', title: 'Name', primary: true, text: (b) => b.name },
        { key: 'for', title: 'Trusted by', width: 220, drop: 2, text: whoOf },
        { key: 'anchors', title: 'Certificates', width: 110, numeric: true, text: (b) => formatCount(b.anchors) },
        { key: 'refreshed', title: 'Last refresh', width: 160, drop: 1, numeric: true, text: (b) => formatWhen(b.refreshedDate) },
        {
          key: 'standing',
          title: 'Status',
          width: 150,
          text: standingOf,
          render: (b) => (b.lastError || b.isUnprotected ? <Standing bundle={b} /> : standingOf(b)),
        },
      ]}
      fields={fieldsFor(whose)}
      limits={TrustBundleForm}
      create={({ name, url, signer, requiresRevocation, ...values }) =>
        api.POST(BUNDLES, { body: { name, url, signer, requiresRevocation, organizationId: chosen(whose, values) } })
      }
      remove={({ id }) => api.DELETE('/api/admin/trust/bundles/{id}', at(id))}
      refreshes={[ANCHORS]}
      isFixed={(b) => isOfAll(whose, b)}
      menu={(b) => [
        {
          label: 'Refresh now',
          icon: IconRefresh,
          ask: {
            title: 'Refresh trust bundle',
            subject: b.name,
            question: 'It is fetched again. If that fails, the current certificates stay trusted.',
            label: 'Refresh',
            run: fetchAgain(b.id),
            done: 'The trust bundle is up to date.',
            failed: 'The trust bundle could not be refreshed. Please try again.',
          },
        },
      ]}
      detail={(b) => <Details bundle={b} />}
      badge={(b) => <Standing bundle={b} />}
      words={{
        create: 'Add bundle',
        newTitle: 'Add a trust bundle',
        createLabel: 'Fetch and trust',
        created: (bundle) => `The certificates of the trust bundle are trusted: ${bundle.anchors}.`,
        notSaved: 'The trust bundle could not be added. Please try again.',
        emptyText: 'Only certificates of this installation, and single anchors, are trusted.',
        deleteItem: 'Remove',
        deleteTitle: 'Remove trust bundle',
        deleteLabel: 'Remove',
        deleteQuestion:
          'Its certificates are no longer trusted: mail from their holders is refused, and none can be sent to them. Are you sure?',
        deleted: 'The trust bundle was removed.',
        notDeleted: 'The trust bundle could not be removed. Please try again.',
      }}
    />
  );
}

/** On the page of one organization, bundles trusted by all cannot be changed. */
export const isOfAll = ({ organizationId }: Whose, row: { organizationId?: string | null }) =>
  Boolean(organizationId) && row.organizationId !== organizationId;

function Details({ bundle }: { bundle: TrustBundle }) {
  return (
    <div className={classes.details}>
      {bundle.lastError && <Notice kind="warning">{`The last refresh failed. ${bundle.lastError}`}</Notice>}
      {bundle.isUnprotected && (
        <Notice kind="warning">
          It is fetched by http, so others could insert their own certificates on the way. Remove it and add it again by https or with the
          certificate of its signer.
        </Notice>
      )}
      <dl className={classes.facts}>
        <dt>Web address</dt>
        <dd className="cp-mono">{bundle.url}</dd>
        <dt>Signed by</dt>
        <dd>{bundle.signer ?? 'Nobody: it is not verified'}</dd>
        <dt>Revocation lists</dt>
        <dd>{bundle.requiresRevocation ? 'Required' : 'Used where available'}</dd>
        <dt>Last refresh</dt>
        <dd>{formatDateTime(bundle.refreshedDate)}</dd>
      </dl>
      <Certificates bundle={bundle} />
    </div>
  );
}

function Certificates({ bundle: { id: bundleId } }: { bundle: TrustBundle }) {
  const [page, setPage] = useState(1);
  const query = useQuery(queryOf('get', ANCHORS, { params: { query: { bundleId, pageNumber: page, pageSize: NESTED_SIZE } } }));
  return (
    <NestedGrid
      label="Certificates"
      columns={[
        { title: 'Subject', cell: (anchor) => anchor.subject },
        { title: 'Valid until', cell: (anchor) => formatDay(anchor.notAfter) },
      ]}
      query={query}
      rows={query.data?.items}
      total={query.data?.totalCount ?? 0}
      page={page}
      onPage={setPage}
      rowId={(anchor) => anchor.id}
      empty="No certificates."
    />
  );
}
