import { UnstyledButton } from '@mantine/core';
import { IconBookmark, IconUserSearch } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { FindProviderDialog } from '@/domain/directory/FindProviderDialog';
import { AddressInput } from './AddressInput';
import type { ComposeValues } from './model';
import { SavedAddressesDialog } from './SavedAddressesDialog';

type Props = {
  values: Pick<ComposeValues, 'to' | 'cc' | 'bcc'>;
  onTo: (addresses: string[]) => void;
  onCopies: (part: { cc?: string[]; bcc?: string[] }) => void;
  /** Error of each address. */
  invalid: ReadonlyMap<string, string>;
  error: string | undefined;
  /** The release type fixes the recipient. */
  locked: boolean;
  /** Further effects of the release type on the recipients. */
  hint?: string;
  /** Focuses To when the screen opens. */
  startsHere?: boolean;
};

/** To, and on demand Cc and Bcc. */
export function AddressFields({ values, onTo, onCopies, invalid, error, locked, hint, startsHere }: Props) {
  useEffect(() => {
    if (startsHere) document.getElementById('release-to')?.focus();
  }, [startsHere]);
  const [showsCopies, setShowsCopies] = useState(values.cc.length + values.bcc.length > 0);
  const [choosing, setChoosing] = useState(false);
  const [searching, setSearching] = useState(false);
  const showCopies = () => {
    setShowsCopies(true);
    // The button that had the focus is gone.
    requestAnimationFrame(() => document.getElementById('release-cc')?.focus());
  };
  const add = (more: string[]) => onTo([...values.to, ...more.filter((a) => !values.to.includes(a))]);
  return (
    <>
      <AddressInput
        id="release-to"
        label="To"
        required
        readOnly={locked}
        value={values.to}
        onChange={onTo}
        errors={invalid}
        error={error}
        actions={
          <>
            {!showsCopies && (
              <UnstyledButton className="cp-link" onClick={showCopies}>
                Cc and Bcc
              </UnstyledButton>
            )}
            <UnstyledButton className="cp-link cp-row" disabled={locked} onClick={() => setChoosing(true)}>
              <IconBookmark size={15} stroke={1.6} aria-hidden />
              Saved addresses
            </UnstyledButton>
            <UnstyledButton className="cp-link cp-row" disabled={locked} onClick={() => setSearching(true)}>
              <IconUserSearch size={15} stroke={1.6} aria-hidden />
              Directory
            </UnstyledButton>
          </>
        }
      />
      {hint && <p className="cp-muted rel-sub">{hint}</p>}
      {showsCopies && (
        <div className="rel-pair">
          <AddressInput id="release-cc" label="Cc" value={values.cc} onChange={(cc) => onCopies({ cc })} errors={invalid} />
          <AddressInput id="release-bcc" label="Bcc" value={values.bcc} onChange={(bcc) => onCopies({ bcc })} errors={invalid} />
        </div>
      )}
      {choosing && <SavedAddressesDialog current={values.to} onClose={() => setChoosing(false)} onPick={add} />}
      {searching && <FindProviderDialog onClose={() => setSearching(false)} onSelect={add} />}
    </>
  );
}
