import { Checkbox, Loader, Table } from '@mantine/core';
import { IconPhone } from '@tabler/icons-react';
import type { UIEvent } from 'react';
import type { DirectoryResult } from '@/api/types';
import { CopyIcon } from '@/shared/ui/CopyIcon';
import { formatFax, formatPhone } from '@/shared/format';
import { Breakable } from '@/shared/ui/blocks';
import { HoverPopover } from '@/shared/ui/HoverPopover';
import type { ListName } from './useDirectorySearch';

/** The next page is loaded this close to the end. */
const NEAR_PX = 40;

type Props = {
  list: ListName;
  entries: DirectoryResult[];
  total: number;
  /** Called when the end of the table is visible. */
  onEnd: () => void;
  isLoading: boolean;
  /** The next page could not be loaded. */
  isStuck: boolean;
  /** Selected addresses; without them there is no selection. */
  chosen?: string[];
  onChoose: (address: string, isChosen: boolean) => void;
};

/** `last, first middle`, or the name of the organization. */
const nameOf = (entry: DirectoryResult) =>
  entry.lastName
    ? [entry.lastName, [entry.firstName, entry.middleName].filter(Boolean).join(' ')].filter(Boolean).join(', ')
    : entry.organizationName;

/** One list of results with infinite scrolling. */
export function ResultTable({ list, entries, total, onEnd, isLoading, isStuck, chosen, onChoose }: Props) {
  const onScroll = ({ currentTarget: box }: UIEvent<HTMLElement>) => {
    if (box.scrollHeight - box.scrollTop - box.clientHeight <= NEAR_PX) onEnd();
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="dir-results" tabIndex={0} aria-label={list === 'providers' ? 'Providers' : 'Organizations'} onScroll={onScroll}>
      <Table className="cp-table cp-mini cp-flat">
        <thead>
          <tr>
            {chosen && (
              <th className="dir-narrow">
                <span className="cp-hidden">Choose</span>
              </th>
            )}
            <th className="dir-wide">Name</th>
            <th>Address</th>
            <th className="dir-narrow">
              <span className="cp-hidden">Phone numbers</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry, at) => (
            <Row key={String(at)} entry={entry} chosen={chosen} onChoose={onChoose} />
          ))}
        </tbody>
      </Table>
      {isLoading && (
        <div className="dir-more">
          <Loader size={18} aria-label="Loading more" />
        </div>
      )}
      {isStuck && !isLoading && entries.length < total && (
        <div className="dir-more">
          <button type="button" className="cp-link" onClick={onEnd}>
            More could not be loaded. Try again
          </button>
        </div>
      )}
    </section>
  );
}

function Row({ entry, chosen, onChoose }: { entry: DirectoryResult; chosen?: string[]; onChoose: Props['onChoose'] }) {
  const name = nameOf(entry);
  const address = entry.directAddress;
  const isChosen = chosen?.includes(address) ?? false;
  const clinic = entry.lastName ? entry.clinicName || entry.organizationName : entry.clinicName;
  return (
    <tr data-sel={isChosen || undefined}>
      {chosen && (
        <td className="i">
          <Checkbox
            aria-label={`Choose ${name}`}
            disabled={!address}
            checked={isChosen && Boolean(address)}
            onChange={(e) => onChoose(address, e.currentTarget.checked)}
          />
        </td>
      )}
      <td className="dir-cell dir-who">
        <span className="cp-block cp-strong">{name}</span>
        {address ? (
          <span className="dir-address">
            <Breakable text={address} />
            <CopyIcon value={address} />
          </span>
        ) : (
          <span className="cp-block cp-second">DIRECT address is not available.</span>
        )}
        {clinic && <span className="cp-block cp-second">{clinic}</span>}
      </td>
      <td className="dir-cell dir-place">
        <span className="cp-block">{entry.standardizedAddressLine1}</span>
        <span className="cp-block">{placeOf(entry)}</span>
      </td>
      <td className="i dir-call">{(formatPhone(entry.phonePrimary) || entry.fax) && <Phones entry={entry} name={name} />}</td>
    </tr>
  );
}

const zipOf = (zip: string) => (zip.length === 9 ? `${zip.slice(0, 5)}-${zip.slice(5)}` : zip);
const placeOf = ({ standardizedCity, standardizedState, standardizedZip }: DirectoryResult) =>
  [standardizedCity, [standardizedState, zipOf(standardizedZip)].filter(Boolean).join(' ')].filter(Boolean).join(', ');

function Phones({ entry, name }: { entry: DirectoryResult; name: string }) {
  return (
    <HoverPopover label={`Phone numbers of ${name}`} title="Phone Numbers" icon={<IconPhone size={16} stroke={1.6} />}>
      <dl className="dir-phones">
        {formatPhone(entry.phonePrimary) && (
          <>
            <dt>Primary</dt>
            <dd>{formatPhone(entry.phonePrimary)}</dd>
          </>
        )}
        {entry.fax && (
          <>
            <dt>Fax</dt>
            <dd>{formatFax(entry.fax)}</dd>
          </>
        )}
      </dl>
    </HoverPopover>
  );
}
