import './refused.css';
import { AppLink } from '@/shared/ui/AppLink';

type Row = { id: string; subject: string; reasons: string[] };
type Props = {
  /** Absent while loading. */
  rows: Row[] | undefined;
  /** The address of a message. */
  hrefOf: (id: string) => string;
  onOpen?: () => void;
};

/** Messages refused by an act, with reasons. */
export function RefusedList({ rows, hrefOf, onOpen }: Props) {
  if (!rows) return <div className="cp-bone msg-refused" role="status" aria-label="Loading" />;
  return (
    <ul className="msg-refused" aria-label="Messages">
      {rows.map(({ id, subject, reasons }) => (
        <li key={id}>
          <AppLink href={hrefOf(id)} className="cp-link" onClick={onOpen}>
            {subject || 'Message'}
          </AppLink>
          {reasons.map((reason) => (
            <p key={reason} className="cp-second">
              {reason}
            </p>
          ))}
        </li>
      ))}
    </ul>
  );
}
