import { IconAlertTriangle, IconCertificate } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { api } from '@/api/client';
import { TrustAnchorForm } from '@/api/limits.gen';
import { queryOf } from '@/api/query';
import type { TrustAnchor, TrustDirection } from '@/api/types';
import { now } from '@/shared/clock';
import { CrudSection } from '@/shared/crud/CrudPage';
import { checkboxField, choiceField } from '@/shared/form/fields';
import { formatDay } from '@/shared/format';
import { Chip } from '@/shared/ui/status';
import { at } from '../lists/fields';
import { ANCHORS, isOfAll } from './BundleList';
import { certificateField } from './certificateField';
import { chosen, REVOCATION, type Whose, whomFields, whoOf } from './whom';

const DIRECTIONS: { value: TrustDirection; label: string }[] = [
  { value: 'Both', label: 'Received and sent mail' },
  { value: 'Incoming', label: 'Received mail' },
  { value: 'Outgoing', label: 'Recipients of sent mail' },
];
const directionOf = (anchor: TrustAnchor) => DIRECTIONS.find((d) => d.value === anchor.direction)!.label;

const fieldsFor = (whose: Whose) => ({
  certificate: certificateField('Certificate', {
    description: 'Every chain that ends in it is trusted. Paste it (PEM), or choose its file (PEM or DER).',
    when: (_, isNew) => isNew,
  }),
  ...whomFields(whose),
  direction: choiceField<TrustDirection>('Trusted for', DIRECTIONS, { initial: 'Both', required: true }),
  requiresRevocation: checkboxField('Require revocation lists', { description: REVOCATION }),
});

const isExpired = (anchor: TrustAnchor) => new Date(anchor.notAfter) < now();
const Standing = ({ anchor }: { anchor: TrustAnchor }) =>
  isExpired(anchor) ? (
    <Chip tone="danger" icon={IconAlertTriangle}>
      Expired
    </Chip>
  ) : null;

/** The certificates that end trusted chains: single ones, and those of bundles. */
export function AnchorList({ heading, ...whose }: Whose & { heading?: ReactNode }) {
  const { organizationId } = whose;
  return (
    <CrudSection
      heading={heading}
      title="Trust anchors"
      noun="trust anchor"
      icon={IconCertificate}
      list={({ page, size }) => queryOf('get', ANCHORS, { params: { query: { organizationId, pageNumber: page, pageSize: size } } })}
      columns={[
        { key: 'subject', title: 'Subject', primary: true, text: (a) => a.subject },
        { key: 'for', title: 'Trusted by', width: 200, drop: 3, text: whoOf },
        { key: 'bundle', title: 'Bundle', width: 160, drop: 2, text: (a) => a.bundleName ?? '' },
        { key: 'direction', title: 'Trusted for', width: 190, drop: 2, text: directionOf },
        { key: 'revocation', title: 'Revocation', width: 110, drop: 3, text: (a) => (a.requiresRevocation ? 'Required' : '') },
        { key: 'until', title: 'Valid until', width: 130, drop: 1, numeric: true, text: (a) => formatDay(a.notAfter) },
      ]}
      badge={(a) => <Standing anchor={a} />}
      isMuted={isExpired}
      fields={fieldsFor(whose)}
      limits={TrustAnchorForm}
      read={(id) => queryOf('get', '/api/admin/trust/anchors/{id}', at(id))}
      create={({ certificate, direction, requiresRevocation, ...values }) =>
        api.POST(ANCHORS, {
          body: { certificate, direction: direction!, requiresRevocation, organizationId: chosen(whose, values) },
        })
      }
      save={(id, { direction, requiresRevocation }, version) =>
        api.PUT('/api/admin/trust/anchors/{id}', { ...at(id), body: { direction: direction!, requiresRevocation, version } })
      }
      remove={({ id }) => api.DELETE('/api/admin/trust/anchors/{id}', at(id))}
      isFixed={(a) => Boolean(a.bundleId) || isOfAll(whose, a)}
      words={{
        create: 'Add anchor',
        newTitle: 'Add a trust anchor',
        createLabel: 'Trust',
        created: 'The certificate is trusted.',
        notSaved: 'The trust anchor could not be saved. Please try again.',
        emptyText: 'Only certificates of this installation are trusted.',
        deleteItem: 'Remove',
        deleteTitle: 'Remove trust anchor',
        deleteLabel: 'Remove',
        deleteQuestion:
          'Certificates that it issued are no longer trusted: mail from their holders is refused, and none can be sent to them. Are you sure?',
        deleted: 'The trust anchor was removed.',
        notDeleted: 'The trust anchor could not be removed. Please try again.',
      }}
    />
  );
}
