import { Button, Checkbox, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type RefObject, useEffect, useState } from 'react';
import type { UserDocumentSource } from '@/api/types';
import { useProfile } from '@/app/session';
import { formatAddress, plural } from '@/shared/format';
import { unseenLabel } from '@/shared/form/unseenLabel';
import { notify } from '@/shared/notify';
import { ErrorState } from '@/shared/ui/blocks';
import { reportUserFailure } from './actions';
import { saveSources, sourcesQuery } from './api';

const ACTIVATED = 1;
/** Number of addresses above which a search box is shown. */
const MANY = 8;

/** The addresses and fax numbers that a user may send from. */
export function Sources({ userId, dirtyRef }: { userId: string; dirtyRef: RefObject<boolean> }) {
  const query = useQuery(sourcesQuery(userId));
  if (query.data?.length === 0)
    return <p className="cp-second">Your organization has no Direct address or fax number yet. They are available once it is activated.</p>;
  if (query.data) return <Choice key={keyOf(query.data)} userId={userId} sources={query.data} dirtyRef={dirtyRef} />;
  if (query.error) return <ErrorState title="The addresses could not be loaded" error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <div role="status" aria-label="Loading">
      <div className="cp-bone" style={{ width: '40%' }} />
    </div>
  );
}

const assigned = (sources: UserDocumentSource[]) => sources.filter((s) => s.isAssigned).map((s) => s.documentSourceId);
const keyOf = (sources: UserDocumentSource[]) => assigned(sources).join();

function Choice({ userId, sources, dirtyRef }: { userId: string; sources: UserDocumentSource[]; dirtyRef: RefObject<boolean> }) {
  const { organizationId } = useProfile();
  const [chosen, choose] = useState(() => assigned(sources));
  const [words, search] = useState('');
  const isDirty = [...chosen].sort().join() !== assigned(sources).sort().join();
  useEffect(() => {
    dirtyRef.current = isDirty;
    return () => {
      dirtyRef.current = false;
    };
  }, [dirtyRef, isDirty]);
  const save = useMutation({
    mutationFn: () => saveSources(userId, organizationId ?? '', chosen),
    onSuccess: () => notify('success', 'The addresses were saved.'),
    onError: (error) => reportUserFailure(error, 'There was an error saving the addresses'),
    meta: { ownErrors: true },
  });
  const fits = (s: UserDocumentSource) => `${s.fullAddress} ${s.displayName}`.toLowerCase().includes(words.trim().toLowerCase());
  const shown = sources.filter(fits);
  return (
    <>
      {sources.length > MANY && (
        <TextInput
          type="search"
          aria-label="Search addresses"
          placeholder="Search addresses"
          maw={320}
          value={words}
          onChange={(e) => search(e.currentTarget.value)}
        />
      )}
      <Checkbox.Group value={chosen} onChange={choose} {...unseenLabel('Sends on behalf of')}>
        <div className="usr-sources">
          {shown.map((s) => (
            <Checkbox
              key={s.documentSourceId}
              value={s.documentSourceId}
              label={formatAddress(s.fullAddress)}
              description={[s.displayName, s.status !== ACTIVATED && 'cannot send now'].filter(Boolean).join(', ') || undefined}
            />
          ))}
          {shown.length === 0 && <span className="cp-second">No address matches.</span>}
        </div>
      </Checkbox.Group>
      <div className="acc-buttons">
        <Button variant="default" disabled={!isDirty} loading={save.isPending} onClick={() => save.mutate()}>
          Save Addresses
        </Button>
        <span className="cp-second">
          {chosen.length} of {plural(sources.length, 'address', 'addresses')}
        </span>
      </div>
    </>
  );
}
