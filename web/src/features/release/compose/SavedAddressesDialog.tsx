import { ActionIcon, Button, Checkbox, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { type KeyboardEvent, useState } from 'react';
import { formatAddress, plural } from '@/shared/format';
import { unseenLabel } from '@/shared/form/unseenLabel';
import { notify } from '@/shared/notify';
import { ListFooter } from '@/shared/table/ListFooter';
import { clampPage, pageCount } from '@/shared/table/listSearch';
import { ErrorState } from '@/shared/ui/blocks';
import { Dialog } from '@/shared/ui/Dialog';
import { saveAddresses, savedAddressesQuery } from '../api';
import { addressError } from './rules';

type Props = {
  /** Addresses in the message: they are ticked, and unsaved ones can be saved. */
  current: string[];
  onClose: () => void;
  onPick: (addresses: string[]) => void;
};

/** The organization's saved addresses: choose for this message, add, remove. */
export function SavedAddressesDialog({ current, onClose, onPick }: Props) {
  const saved = useQuery({ ...savedAddressesQuery, staleTime: 0 });
  const [edited, setList] = useState<string[] | null>(null);
  const [picked, setPicked] = useState<string[]>([]);
  const [text, setText] = useState('');
  const [error, setError] = useState<string | null>(null);
  const known = saved.data?.addresses ?? [];
  const list = edited ?? known;
  const changed = list.length !== known.length || list.some((a) => !known.includes(a));
  const unsaved = current.filter((a) => !list.includes(a) && addressError(a) === null);

  const add = () => {
    const address = text.trim();
    if (!address) return;
    const wrong = list.includes(address) ? 'This value already exists.' : addressError(address);
    setError(wrong);
    if (wrong) return;
    setList([...list, address]);
    setText('');
  };
  const save = useMutation({
    mutationFn: () =>
      saveAddresses(
        list.filter((a) => !known.includes(a)),
        known.filter((a) => !list.includes(a)),
      ),
    onSuccess: () => {
      // Show the saved list, which may hold changes by others.
      setList(null);
      notify('success', 'Direct Address Cache has been saved successfully.');
    },
  });
  const addByKey = (e: KeyboardEvent) => {
    if (e.key !== 'Enter' || e.ctrlKey || e.metaKey) return;
    e.preventDefault();
    add();
  };
  return (
    <Dialog
      opened
      onClose={onClose}
      title="Saved addresses"
      size={520}
      footer={
        <>
          <Button size="md" variant="default" disabled={!changed} loading={save.isPending} onClick={() => save.mutate()}>
            Save list
          </Button>
          <div className="cp-grow" />
          <Button size="md" variant="default" onClick={onClose}>
            Close
          </Button>
          <Button
            size="md"
            disabled={picked.length === 0}
            onClick={() => {
              onPick(picked);
              onClose();
            }}
          >
            {picked.length > 1 ? `Add ${plural(picked.length, 'address', 'addresses')}` : 'Add address'}
          </Button>
        </>
      }
    >
      {!saved.data && saved.error && (
        <ErrorState title="The saved addresses could not be loaded" error={saved.error} onRetry={() => void saved.refetch()} />
      )}
      {!saved.data && !saved.error && <div className="cp-bone" style={{ width: '60%' }} />}
      {saved.data && (
        <>
          <div className="cp-row rel-saved-add">
            <TextInput
              size="md"
              className="cp-grow"
              // The first for a list loaded when the dialog opens, the second for one that loads later.
              data-autofocus
              autoFocus
              label="Add to the list"
              placeholder="Direct address"
              value={text}
              error={error}
              onChange={(e) => {
                setText(e.currentTarget.value);
                setError(null);
              }}
              onKeyDown={addByKey}
            />
            <Button size="md" variant="default" leftSection={<IconPlus size={16} stroke={2} />} onClick={add}>
              Add
            </Button>
          </div>
          {unsaved.length > 0 && (
            <Button size="xs" variant="subtle" onClick={() => setList([...list, ...unsaved])}>
              Add {unsaved.length === 1 ? formatAddress(unsaved[0]!) : `the ${unsaved.length} addresses of this message`}
            </Button>
          )}
          <Addresses
            list={list}
            current={current}
            picked={picked}
            onPick={setPicked}
            onRemove={(address) => {
              setList(list.filter((a) => a !== address));
              setPicked(picked.filter((a) => a !== address));
            }}
          />
        </>
      )}
    </Dialog>
  );
}

type AddressesProps = {
  list: string[];
  current: string[];
  picked: string[];
  onPick: (addresses: string[]) => void;
  onRemove: (address: string) => void;
};

const PAGE_SIZE = 5;

function Addresses({ list, current, picked, onPick, onRemove }: AddressesProps) {
  const [wanted, setPage] = useState(1);
  const page = clampPage(wanted, pageCount(list.length, PAGE_SIZE));
  const shown = list.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
  if (list.length === 0) return <p className="cp-muted rel-saved-none">No addresses are saved yet.</p>;
  return (
    <Checkbox.Group value={picked} onChange={onPick} {...unseenLabel('Saved addresses')}>
      <ul className="rel-saved">
        {shown.map((address) => (
          <li key={address}>
            <Checkbox className="cp-grow" value={address} label={formatAddress(address)} disabled={current.includes(address)} />
            <ActionIcon size={28} aria-label={`Remove ${address} from the list`} onClick={() => onRemove(address)}>
              <IconTrash size={16} stroke={1.6} />
            </ActionIcon>
          </li>
        ))}
      </ul>
      {list.length > PAGE_SIZE && (
        <ListFooter page={page} size={PAGE_SIZE} count={shown.length} total={list.length} onPage={setPage} noun="addresses" />
      )}
    </Checkbox.Group>
  );
}
