import { useQuery } from '@tanstack/react-query';
import { queryOf } from '@/api/query';
import { formatCount, formatDateTime, truncate } from '@/shared/format';
import { pathTo } from '@/shared/paths';
import { AppLink } from '@/shared/ui/AppLink';
import { ErrorState } from '@/shared/ui/blocks';
import { Status } from '@/shared/ui/status';

const CAP = 10_000;
const count = (n: number) => formatCount(n, n >= CAP);
const dateOf = (iso: string | null | undefined) => (iso ? formatDateTime(iso) : 'Not yet');
const byWhom = (date: string, by: string) => [formatDateTime(date), by && `by ${by}`].filter(Boolean).join(' ');

/** The origin and usage of an organization. */
export function InfoTab({ id }: { id: string }) {
  const query = useQuery(queryOf('get', '/api/organizations/{id}/info', { params: { path: { id } } }));
  const info = query.data;
  if (query.error && !info)
    return <ErrorState title="The facts could not be loaded" error={query.error} onRetry={() => void query.refetch()} />;
  if (!info)
    return (
      <div className="adm-about" role="status" aria-label="Loading">
        <div className="cp-bone" style={{ width: '40%' }} />
      </div>
    );
  const parts: [string, [string, string][]][] = [
    [
      'Record',
      [
        ['Created', byWhom(info.createDate, info.createdBy)],
        ['Changed', byWhom(info.modifiedDate, info.modifiedBy)],
        ['Terms accepted', dateOf(info.termsAcceptedDate)],
        ['Identity verified', dateOf(info.idProofedDate)],
      ],
    ],
    [
      'Users and addresses',
      [
        ['Active users', count(info.activeUsers)],
        ['Invited users', count(info.invitedUsers)],
        ['Disabled users', count(info.disabledUsers)],
        ['Direct addresses', count(info.directAddresses)],
        ['Fax numbers', count(info.faxNumbers)],
      ],
    ],
    [
      'Messages of the last 30 days',
      [
        ['Received', count(info.messagesReceived)],
        ['Delivered', count(info.deliveries)],
        ['Failed', count(info.failedMessages)],
      ],
    ],
  ];
  return (
    <div className="adm-body">
      {parts.map(([title, facts]) => (
        <section key={title} className="adm-section">
          <h2>{title}</h2>
          <dl className="cp-kv cp-num adm-origin">
            {facts.map(([name, value]) => (
              <div key={name} className="adm-fact">
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <Administrators id={id} />
      <License id={id} />
      <Devices id={id} />
    </div>
  );
}

/** The plan with the places of users, and the licence keys that were issued. */
function License({ id }: { id: string }) {
  const { data } = useQuery(queryOf('get', '/api/admin/organizations/{id}/licenses', { params: { path: { id } } }));
  if (!data) return null;
  return (
    <section className="adm-section">
      <h2>License</h2>
      <dl className="cp-kv adm-origin">
        {data.items.map((license) => (
          <div key={license.name} className="adm-fact">
            <dt>{license.name}</dt>
            <dd>
              {license.allowedUsers < 0
                ? `${count(license.numberOfUsers)} users, of any number`
                : `${count(license.numberOfUsers)} of ${count(license.allowedUsers)} users`}
              {license.resellerName && `, licensed by ${license.resellerName}`}
            </dd>
          </div>
        ))}
      </dl>
      {data.licenseKeys.length > 0 && (
        <>
          <h3 className="cp-strong">Licence keys</h3>
          <dl className="cp-kv adm-origin" aria-label="Licence keys">
            {data.licenseKeys.map((key) => (
              <div key={key.id} className="adm-fact">
                <dt>{`${key.name}, ${key.licenseType}`}</dt>
                <dd>
                  {`Until ${formatDateTime(key.expirationDate)}, issued ${formatDateTime(key.issuedDate)} by ${key.issuedBy}`}
                  <span className="cp-block cp-muted">{truncate([key.connectorName, key.licenseKey].filter(Boolean).join(', '))}</span>
                </dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </section>
  );
}

const DEVICES_SHOWN = 10;

/** The devices of recent sign-ins. */
function Devices({ id }: { id: string }) {
  const { data } = useQuery(queryOf('get', '/api/admin/organizations/{id}/devices', { params: { path: { id } } }));
  if (!data) return null;
  return (
    <section className="adm-section">
      <div>
        <h2>Devices</h2>
        <p className="cp-muted">The newest sign-ins of the last 30 days.</p>
      </div>
      {data.items.length === 0 && <p className="cp-muted">Nobody signed in.</p>}
      <dl className="cp-kv adm-origin">
        {data.items.slice(0, DEVICES_SHOWN).map((device) => (
          <div key={device.id} className="adm-fact">
            <dt>{formatDateTime(device.signInDate)}</dt>
            <dd>
              {device.userName} from {device.ipAddress} {device.isSignedIn && <Status state="Active">Signed in</Status>}
              <span className="cp-block cp-muted">{truncate(device.device)}</span>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Administrators({ id }: { id: string }) {
  const { data } = useQuery(queryOf('get', '/api/admin/organizations/{id}/admins', { params: { path: { id } } }));
  if (!data) return null;
  return (
    <section className="adm-section">
      <h2>Administrators</h2>
      {data.items.length === 0 && <p className="cp-muted">The organization has no administrator.</p>}
      <dl className="cp-kv adm-origin">
        {data.items.map((admin) => (
          <div key={admin.id} className="adm-fact">
            <dt>{admin.fullName}</dt>
            <dd>
              <AppLink className="cp-link" href={pathTo('/admin/users', {}, { search: admin.userName })}>
                {admin.userName}
              </AppLink>{' '}
              {admin.isDisabled && <Status state="Disabled" />}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
