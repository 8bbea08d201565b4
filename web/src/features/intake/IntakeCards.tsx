import type { IntakeItem } from '@/api/types';
import { FoundIn } from '@/domain/messaging/FoundIn';
import { formatAddress, formatRecent, truncate } from '@/shared/format';
import { paths } from '@/shared/paths';
import { AppLink } from '@/shared/ui/AppLink';
import { Source, Status } from '@/shared/ui/status';
import { senderOf, titleOf } from './list';
import { others, PatientDoubt, PatientOf, Presence, Unread, Urgent } from './parts';

const Bones = () => (
  <ul className="m-list" aria-hidden>
    {Array.from({ length: 8 }, (_, i) => (
      <li key={String(i)} className="m-item">
        <span />
        <div className="m-bones">
          <div className="cp-bone" style={{ width: '60%' }} />
          <div className="cp-bone" style={{ width: '85%' }} />
          <div className="cp-bone" style={{ width: '40%' }} />
        </div>
      </li>
    ))}
  </ul>
);

/** The list on phones. */
export function IntakeCards({ rows, userId, onOpen }: { rows: IntakeItem[] | undefined; userId: string; onOpen: () => void }) {
  if (!rows) return <Bones />;
  return (
    <ul className="m-list cp-scroll" aria-label="Intake messages">
      {rows.map((m) => (
        <li key={m.id}>
          <AppLink href={paths.intakeMessage(m.id)} className="m-item" data-unread={m.isRead ? undefined : true} onClick={onOpen}>
            <Unread on={!m.isRead} recent={m.recent} />
            <div className="cp-grow">
              <div className="cp-row l1">
                <span className="cp-ell">
                  <PatientOf of={m} />
                </span>
                <PatientDoubt of={m.patientDoubt} />
                {m.isUrgent && <Urgent />}
                <Presence people={others(m, userId)} compact />
              </div>
              <div className="cp-ell l2">{truncate(titleOf(m))}</div>
              <div className="cp-row l2 cp-muted">
                <Source kind={m.sourceType} pages={m.properties?.faxPageCount} />
                <span className="cp-ell">{senderOf(m, formatAddress)}</span>
                <FoundIn places={m.foundIn} />
              </div>
            </div>
            <div className="m-side">
              <span className="cp-num">{formatRecent(m.createdDate)}</span>
              <Status state={m.status} />
            </div>
          </AppLink>
        </li>
      ))}
    </ul>
  );
}
