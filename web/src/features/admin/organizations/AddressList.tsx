import { ActionIcon, Button, TextInput } from '@mantine/core';
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { ListFooter } from '@/shared/table/ListFooter';
import { clampPage, pageCount } from '@/shared/table/listSearch';

const PAGE_SIZE = 5;

type Props = {
  size: string;
  label: string;
  description?: ReactNode;
  value: string[];
  onChange: (addresses: string[]) => void;
  error?: ReactNode;
};

/** Addresses, five a page, which are added, edited in place and removed. */
export function AddressList({ size, label, description, value, onChange, error }: Props) {
  const [wanted, setPage] = useState(1);
  const [edited, edit] = useState<number | null>(null);
  const page = clampPage(wanted, pageCount(value.length, PAGE_SIZE));
  const first = (page - 1) * PAGE_SIZE;
  const shown = value.slice(first, first + PAGE_SIZE);
  const turn = (next: number) => {
    edit(null);
    setPage(next);
  };
  return (
    <>
      <AddAddresses
        {...{ size, label, description, error }}
        onAdd={(addresses) => {
          const next = [...new Set([...value, ...addresses])];
          onChange(next);
          turn(pageCount(next.length, PAGE_SIZE));
        }}
      />
      {value.length === 0 && <p className="cp-muted">No addresses are saved yet.</p>}
      {shown.length > 0 && (
        <ul className="adm-addresses" aria-label={label}>
          {shown.map((address, i) => (
            // The address changes with each letter typed, so it is no key.
            // oxlint-disable-next-line react/no-array-index-key
            <li key={first + i}>
              {edited === first + i ? (
                <EditedAddress value={address} onChange={(text) => onChange(value.with(first + i, text))} onEnd={() => edit(null)} />
              ) : (
                <Address
                  address={address}
                  onEdit={() => edit(first + i)}
                  onRemove={() => {
                    edit(null);
                    onChange(value.toSpliced(first + i, 1));
                  }}
                />
              )}
            </li>
          ))}
        </ul>
      )}
      {value.length > PAGE_SIZE && (
        <ListFooter page={page} size={PAGE_SIZE} count={shown.length} total={value.length} onPage={turn} noun="addresses" />
      )}
    </>
  );
}

type AddProps = Pick<Props, 'size' | 'label' | 'description' | 'error'> & { onAdd: (addresses: string[]) => void };

function AddAddresses({ onAdd, ...props }: AddProps) {
  const [text, setText] = useState('');
  const addresses = text.split(/[\s,;]+/).filter(Boolean);
  const add = () => {
    if (addresses.length === 0) return;
    onAdd(addresses);
    setText('');
  };
  const addByKey = (e: KeyboardEvent) => {
    if (e.key !== 'Enter' || e.ctrlKey || e.metaKey) return;
    e.preventDefault();
    add();
  };
  return (
    <div className="cp-row adm-addaddress">
      <TextInput
        {...props}
        className="cp-grow"
        autoComplete="off"
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        placeholder="Direct address"
        value={text}
        onChange={(e) => setText(e.currentTarget.value)}
        onKeyDown={addByKey}
      />
      <Button size="md" variant="default" leftSection={<IconPlus size={16} stroke={2} />} disabled={addresses.length === 0} onClick={add}>
        Add
      </Button>
    </div>
  );
}

function Address({ address, onEdit, onRemove }: { address: string; onEdit: () => void; onRemove: () => void }) {
  return (
    <>
      <span className="cp-grow cp-ell" title={address}>
        {address}
      </span>
      <ActionIcon variant="subtle" color="gray" aria-label={`Edit ${address}`} onClick={onEdit}>
        <IconPencil size={16} stroke={1.6} />
      </ActionIcon>
      <ActionIcon variant="subtle" color="red" aria-label={`Remove ${address}`} onClick={onRemove}>
        <IconTrash size={16} stroke={1.6} />
      </ActionIcon>
    </>
  );
}

type EditedProps = { value: string; onChange: (address: string) => void; onEnd: () => void };

/** An address being edited: Enter accepts, Escape reverts. */
function EditedAddress({ value, onChange, onEnd }: EditedProps) {
  const [was] = useState(value);
  const end = () => {
    if (!value.trim()) onChange(was);
    onEnd();
  };
  const onKeyDown = (e: KeyboardEvent) => {
    if (e.key === 'Escape') {
      onChange(was);
      onEnd();
    } else if (e.key === 'Enter' && !e.ctrlKey && !e.metaKey) {
      e.preventDefault();
      end();
    }
  };
  return (
    <TextInput
      className="cp-grow"
      autoFocus
      autoComplete="off"
      aria-label={`Edit ${was}`}
      // Escape ends only the editing, and leaves the dialog open.
      data-mantine-stop-propagation="true"
      value={value}
      onChange={(e) => onChange(e.currentTarget.value.trim())}
      onKeyDown={onKeyDown}
      onBlur={end}
    />
  );
}
