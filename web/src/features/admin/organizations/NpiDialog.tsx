import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { NpiResult } from '@/api/types';
import { useDebounced } from '@/shared/debounce';
import { wordsOf } from '@/shared/errors';
import { formatPhone } from '@/shared/format';
import { notify } from '@/shared/notify';
import { digitsOnly } from '@/shared/rules/fields';
import { Notice } from '@/shared/ui/blocks';
import { Dialog } from '@/shared/ui/Dialog';
import { npiQuery } from './api';

const NPI_LENGTH = 10;
const DELAY_MS = 500;

export const mismatch = (searched: string, result: string) => `Result does not match: Searched for ${searched}. Result was ${result}.`;

const STATUSES: Record<string, string> = { A: 'Active', D: 'Deactivated' };

function Result({ result }: { result: NpiResult }) {
  const b = result.basic ?? {};
  const official = [b.authorizedOfficialFirstName, b.authorizedOfficialMiddleName, b.authorizedOfficialLastName].filter(Boolean).join(' ');
  const facts: [string, string | null | undefined][] = [
    ['Number', result.number],
    ['Name', b.organizationName || b.name],
    ['Status', b.status && (STATUSES[b.status] ?? b.status)],
    ['Authorized official', official],
    ['Telephone', formatPhone(b.authorizedOfficialTelephoneNumber)],
    ['Subpart', b.organizationalSubpart],
  ];
  const addresses = result.addresses ?? [];
  return (
    <div className="adm-npi">
      <dl className="cp-kv cp-num">
        {facts
          .filter(([, value]) => value)
          .map(([name, value]) => (
            <div key={name} className="adm-fact">
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
      <h3>Addresses</h3>
      {addresses.length === 0 ? (
        <p className="cp-muted">There are no addresses associated with this NPI.</p>
      ) : (
        <ul className="adm-addresses">
          {addresses.map((a) => {
            const lines = [
              a.address_1,
              a.address_2,
              [a.city, [a.state, a.postalCode].filter(Boolean).join(' ')].filter(Boolean).join(', '),
            ];
            return <li key={lines.join()}>{lines.filter(Boolean).join(', ')}</li>;
          })}
        </ul>
      )}
    </div>
  );
}

/** Searches the national register for a number; choosing it fills the form. */
export function NpiDialog({ start, onClose, onChoose }: { start: string; onClose: () => void; onChoose: (npi: string) => void }) {
  const [text, setText] = useState(start);
  const number = useDebounced(text, DELAY_MS);
  const query = useQuery({ ...npiQuery(number), enabled: number.length === NPI_LENGTH && number === text });
  const result = query.data?.[0];
  const isSettled = query.isSuccess && number === text;
  const wrongNumber = result && result.number !== number ? mismatch(number, result.number) : null;
  return (
    <Dialog
      opened
      onClose={onClose}
      title="NPI Search"
      size={560}
      footer={
        <>
          <div className="cp-grow" />
          <Button size="md" variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            size="md"
            disabled={!isSettled || !result || wrongNumber !== null}
            onClick={() => {
              onChoose(number);
              notify('info', "Click 'Save Changes' to apply the new NPI.");
              onClose();
            }}
          >
            Select
          </Button>
        </>
      }
    >
      <TextInput
        size="md"
        data-autofocus
        label="NPI"
        description="10 digits"
        inputMode="numeric"
        autoComplete="off"
        maxLength={NPI_LENGTH}
        value={text}
        onChange={(e) => setText(digitsOnly(e.currentTarget.value, NPI_LENGTH))}
      />
      <div className="adm-npi-result" aria-live="polite" aria-busy={query.isFetching}>
        {query.isFetching && <div className="cp-bone" style={{ width: '60%' }} />}
        {query.error && <Notice kind="error">{wordsOf(query.error)}</Notice>}
        {isSettled && !result && <p className="cp-muted">There are no results matching your criteria</p>}
        {isSettled && wrongNumber && <Notice kind="error">{wrongNumber}</Notice>}
        {isSettled && result && <Result result={result} />}
      </div>
    </Dialog>
  );
}
