import { CloseButton } from '@mantine/core';
import { IconAlertTriangle, IconShieldLock } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { Contact } from '@/api/types';
import { formatAddress } from '@/shared/format';
import { TagSelect } from '@/shared/form/inputs';
import { digitsOnly } from '@/shared/rules/fields';
import { FaxIcon } from '@/shared/ui/icons';
import { findContacts } from '../api';
import { cleanAddress } from './model';

type Props = {
  id: string;
  label: string;
  /** Shown at the right of the label. */
  actions?: ReactNode;
  required?: boolean;
  value: string[];
  onChange: (addresses: string[]) => void;
  /** Error of each address. */
  errors: ReadonlyMap<string, string>;
  /** Shown while no address is wrong. */
  error?: string;
  readOnly?: boolean;
};

/** Complete input, which is not a search for suggestions: an address with its domain, a number with its area code. */
const isWholeAddress = (text: string) =>
  /^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(text) || (/^[\d\s().+-]+$/.test(text) && digitsOnly(text).length >= 10);

/** Direct addresses and fax numbers as tags, with suggestions from the contacts. */
export function AddressInput({ id, label, actions, required, value, onChange, errors, error, readOnly }: Props) {
  const [contacts, setContacts] = useState<ReadonlyMap<string, Contact>>(new Map());
  const suggest = async (text: string) => {
    const found = await findContacts(text);
    setContacts((known) => new Map([...known, ...found.map((c) => [c.value, c] as const)]));
    return found.map((c) => ({ value: c.value }));
  };
  const wrong = value.filter((a) => errors.has(a));
  const shown = wrong.length ? (
    <span>
      {[...new Set(wrong.map((a) => errors.get(a)))].join(' ')} <span className="cp-second">{wrong.join(', ')}</span>
    </span>
  ) : (
    error
  );
  return (
    <div className="rel-address">
      {actions && <div className="rel-address-actions">{actions}</div>}
      <TagSelect
        id={id}
        size="md"
        label={label}
        required={required}
        readOnly={readOnly}
        queryKey="contacts"
        suggest={suggest}
        isWhole={isWholeAddress}
        takesFirst
        splitChars={[',', ';', '\n', '\t']}
        placeholder={value.length || readOnly ? undefined : 'Name, Direct address or fax number'}
        value={value}
        onChange={(addresses) => onChange([...new Set(addresses.map(cleanAddress))])}
        error={shown}
        classNames={{ input: readOnly ? 'rel-tags rel-locked' : 'rel-tags' }}
        renderPill={({ option, onRemove, disabled }) => {
          const address = String(option.value);
          const bad = errors.get(address);
          const contact = contacts.get(address);
          return (
            <span
              className="cp-tag"
              data-bad={bad ? true : undefined}
              title={[contact?.name, contact?.company, bad].filter(Boolean).join(', ')}
            >
              {bad ? (
                <IconAlertTriangle size={15} stroke={1.8} aria-label="Not valid" />
              ) : address.includes('@') ? (
                <IconShieldLock size={15} stroke={1.6} aria-hidden />
              ) : (
                <FaxIcon size={15} stroke={1.6} aria-hidden />
              )}
              <span className="cp-ell">{formatAddress(address)}</span>
              {!readOnly && !disabled && (
                <CloseButton
                  size={18}
                  iconSize={13}
                  tabIndex={-1}
                  aria-label={`Remove ${address.includes('@') ? address : formatAddress(address)}`}
                  onMouseDown={(e) => e.preventDefault()}
                  onClick={onRemove}
                />
              )}
            </span>
          );
        }}
        renderOption={({ option }) => {
          const contact = contacts.get(String(option.value));
          return (
            <span className="rel-contact">
              <span className="cp-ell">
                {contact?.name || formatAddress(String(option.value))}
                {contact?.company && <span className="cp-muted"> · {contact.company}</span>}
              </span>
              {contact?.name && <span className="cp-muted cp-ell">{formatAddress(contact.value)}</span>}
              {contact?.isFailing && <span className="t-danger cp-plain">The last message did not arrive</span>}
            </span>
          );
        }}
      />
    </div>
  );
}
