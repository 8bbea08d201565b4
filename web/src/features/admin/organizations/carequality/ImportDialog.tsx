import { useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '@/api/client';
import { refresh } from '@/api/query';
import type { SyncOutcome, SyncResult } from '@/api/types';
import { EditDialog } from '@/shared/crud/EditDialog';
import { tagsField } from '@/shared/form/fields';
import { plural } from '@/shared/format';
import { isOid } from '@/shared/rules/fields';

const OIDS_MAX = 50;
const ENTRIES = '/api/admin/organizations/{id}/directoryentries';

function checkOids(oids: readonly string[]): string | null {
  if (oids.length === 0) return 'Please enter at least one OID.';
  if (oids.length > OIDS_MAX) return 'Please enter at most 50 OIDs.';
  const wrong = oids.find((oid) => !isOid(oid));
  return wrong === undefined ? null : `${wrong} is not an OID.`;
}

const fields = {
  oids: tagsField('OIDs', {
    description: 'Such as 2.16.840.1.113883.3.9999.10. Existing entries are updated.',
    check: checkOids,
  }),
};

/** The results of an import and the OIDs without an entry, in a sentence each. */
export function summaryOf(results: readonly SyncResult[]): string {
  const those = (outcome: SyncOutcome) => results.filter((r) => r.outcome === outcome).map((r) => r.oid);
  const counted = (outcome: SyncOutcome, words: string) => {
    const { length } = those(outcome);
    return length > 0 ? [`${plural(length, 'entry', 'entries')} ${words}`] : [];
  };
  const named = (outcome: SyncOutcome, words: string) => {
    const oids = those(outcome);
    return oids.length > 0 ? [`${words}: ${oids.join(', ')}.`] : [];
  };
  const done = [...counted('Added', 'added'), ...counted('Updated', 'updated'), ...counted('Unchanged', 'unchanged')];
  return [
    done.length > 0 ? `${done.join(', ')}.` : 'No entry was imported.',
    ...named('NotFound', 'Not in the directory'),
    ...named('Incomplete', 'The directory entry lacks a name, an address or another required detail'),
  ].join(' ');
}

/** Imports entries from the FHIR directory of the network. */
export function ImportDialog({ organizationId, onClose }: { organizationId: string; onClose: () => void }) {
  const client = useQueryClient();
  return (
    <EditDialog
      noun="import of directory entries"
      title="Import Directory Entries from the FHIR Directory"
      fields={fields}
      save={async ({ oids }) => {
        const path = { id: organizationId };
        const { items } = await unwrap(api.POST(`${ENTRIES}/sync`, { params: { path }, body: { oids } }));
        await refresh(client, ENTRIES);
        return items;
      }}
      label="Import"
      done={summaryOf}
      failed="There was an error syncing"
      onClose={onClose}
    />
  );
}
