import { IconPaperclip } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { ReleaseItem } from '@/api/types';
import { FoundIn } from '@/domain/messaging/FoundIn';
import { formatAddress, formatDateTime, formatRecent, formatWhen, splitAddresses } from '@/shared/format';
import { paths } from '@/shared/paths';
import type { Column } from '@/shared/table/DataTable';
import { AppLink } from '@/shared/ui/AppLink';
import { ErrorState } from '@/shared/ui/blocks';
import { stateOf } from '@/shared/ui/states';
import { Chip, Status } from '@/shared/ui/status';
import { deliveryParts, rowState } from './delivery';

const recipients = (m: ReleaseItem) => (m.toAddresses?.length ? m.toAddresses : splitAddresses(m.toAddress));
export const subjectOf = (m: ReleaseItem) => m.subject || 'No subject';

/** Recipients by name if known, with all addresses in a tooltip. */
function Recipients({ message: m, show = 3 }: { message: ReleaseItem; show?: number }) {
  const all = recipients(m);
  const names = all.map((address, i) => m.toNames?.[i] || formatAddress(address));
  const title = all.map((address, i) => (m.toNames?.[i] ? `${m.toNames?.[i]} <${address}>` : formatAddress(address))).join('; ');
  return (
    <span className="cp-row rel-to" title={title}>
      <span className="cp-ell">{names.slice(0, show).join('; ')}</span>
      {names.length > show && <span className="cp-muted"> +{names.length - show} more</span>}
    </span>
  );
}

function Delivery({ item }: { item: ReleaseItem }) {
  const parts = deliveryParts(item.delivery);
  if (item.isDraft || parts.length === 0) return <span className="cp-muted">–</span>;
  return (
    <span className="rel-delivery" title={parts.map((p) => `${p.count} ${p.word}`).join(', ')}>
      {parts.map(({ state, count, word }) => {
        const { tone, icon: IconOf } = stateOf(state);
        return (
          <span key={state} className={`cp-plain t-${tone} cp-num`}>
            <IconOf size={15} stroke={1.9} aria-hidden />
            {count}
            <span className="cp-hidden"> {word}</span>
          </span>
        );
      })}
    </span>
  );
}

export const columns: Column<ReleaseItem>[] = [
  {
    key: 'subject',
    title: 'Subject',
    primary: true,
    text: subjectOf,
    render: (m) => (
      <span className="cp-cell">
        <span className="cp-ell">{subjectOf(m)}</span>
        {m.attachmentCount ? (
          <span className="cp-src" title={`${m.attachmentCount} attached`}>
            <IconPaperclip size={15} stroke={1.6} aria-hidden />
            <span className="cp-num">{m.attachmentCount}</span>
            <span className="cp-hidden"> attached</span>
          </span>
        ) : null}
        <FoundIn places={m.foundIn} />
      </span>
    ),
  },
  { key: 'to', title: 'To', render: (m) => <Recipients message={m} /> },
  {
    key: 'patient',
    title: 'Patient',
    width: 170,
    drop: 3,
    text: (m) => m.patientName ?? '',
    render: (m) => m.patientName || <span className="cp-muted">–</span>,
  },
  { key: 'delivery', title: 'Delivery', width: 120, drop: 2, render: (m) => <Delivery item={m} /> },
  { key: 'status', title: 'Status', width: 128, sortable: true, render: (m) => <Status state={rowState(m)} /> },
  {
    key: 'createdDate',
    title: 'Date',
    width: 142,
    sortable: true,
    numeric: true,
    text: (m) => formatDateTime(m.messageDate ?? m.createdDate),
    render: (m) => formatWhen(m.messageDate ?? m.createdDate),
  },
];

export const hrefOf = (m: ReleaseItem) => (m.isDraft ? paths.releaseDraft(m.id) : paths.releaseMessage(m.id));

type CardsProps = { rows: ReleaseItem[] | undefined; error: Error | null; onRetry: () => void; empty: ReactNode };

/** The list on a phone. */
export function ReleaseCards({ rows, error, onRetry, empty }: CardsProps) {
  if (error && !rows) return <ErrorState title="The releases could not be loaded" error={error} onRetry={onRetry} />;
  if (rows?.length === 0) return empty;
  return (
    <ul className="cp-scroll rel-cards" aria-label="Releases" aria-busy={!rows}>
      {rows?.map((m) => (
        <li key={m.id}>
          <AppLink href={hrefOf(m)} className="rel-card">
            <span className="cp-row">
              <span className="cp-ell cp-grow cp-strong">{subjectOf(m)}</span>
              <span className="cp-muted cp-num rel-sub">{formatRecent(m.messageDate ?? m.createdDate)}</span>
            </span>
            <span className="cp-row">
              <span className="cp-ell cp-grow cp-second">
                <Recipients message={m} show={1} />
              </span>
              <Chip state={rowState(m)} />
            </span>
            {m.patientName && <span className="cp-ell cp-muted">{m.patientName}</span>}
            <FoundIn places={m.foundIn} />
          </AppLink>
        </li>
      ))}
      {!rows &&
        Array.from({ length: 6 }, (_, i) => (
          <li key={String(i)} className="rel-card" aria-hidden>
            <div className="cp-bone" style={{ width: '70%' }} />
            <div className="cp-bone" style={{ width: '45%' }} />
          </li>
        ))}
    </ul>
  );
}
