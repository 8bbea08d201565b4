import { formatAddress, formatCount, truncate } from '@/shared/format';
import { paths } from '@/shared/paths';
import { AppLink, useGo } from '@/shared/ui/AppLink';
import { senderOf } from '../list';
import type { Place } from '../trail';

/** The next messages of the list that are not done. */
export function UpNext({ place }: { place: Place | null }) {
  const go = useGo();
  if (!place || place.upNext.length === 0) return null;
  return (
    <section className="cp-sec" aria-labelledby="up-next">
      <div className="cp-sec-h">
        <h2 id="up-next">Up next</h2>
        <span className="cp-muted cp-num">
          {formatCount(place.left)}
          {place.capped && '+'}
        </span>
        <div className="cp-grow" />
        <kbd className="cp-kbd">j</kbd>
        <kbd className="cp-kbd">k</kbd>
      </div>
      <ul className="cp-upnext">
        {place.upNext.map((stop) => (
          <li key={stop.id}>
            <AppLink
              href={paths.intakeMessage(stop.id)}
              onClick={(e) => {
                if (e.metaKey || e.ctrlKey || e.shiftKey || e.button !== 0) return;
                e.preventDefault();
                go(paths.intakeMessage(stop.id), { replace: true });
              }}
            >
              <span className="cp-ell cp-block">{truncate(stop.subject || 'No subject')}</span>
              <span className="cp-ell cp-block cp-muted">{stop.patientName || senderOf(stop, formatAddress)}</span>
            </AppLink>
          </li>
        ))}
      </ul>
    </section>
  );
}
