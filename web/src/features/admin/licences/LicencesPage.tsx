import { Button } from '@mantine/core';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import type { License } from '@/api/types';
import { now } from '@/shared/clock';
import { CrudPage } from '@/shared/crud/CrudPage';
import { formatWhen } from '@/shared/format';
import { PAGE_SIZES_OF_20 } from '@/shared/table/listSearch';
import { CopyIcon } from '@/shared/ui/CopyIcon';
import { Status } from '@/shared/ui/status';
import { filterOf, licencesQuery, refreshLicences, SORTED_BY } from './api';
import { GenerateDialog } from './GenerateDialog';
import { GeneratedDialog } from './GeneratedDialog';
import classes from './licences.module.css';

const EXPIRING = 'expiring';
const isOver = (licence: License) => new Date(licence.ExpirationDate) <= now();

const Expiration = ({ licence }: { licence: License }) => (
  <span className="cp-cell">
    <span className="cp-num">{formatWhen(licence.ExpirationDate)}</span>
    {isOver(licence) && <Status state="Pending">Over</Status>}
  </span>
);

/** The licences of connectors. */
export function LicencesPage() {
  const [isAsking, setAsking] = useState(false);
  const [issued, setIssued] = useState<License[] | null>(null);
  // One moment for all pages of the list.
  const at = useMemo(() => now(), []);
  return (
    <>
      <CrudPage
        title="License Keys"
        noun="licence"
        icon={IconKey}
        sizes={PAGE_SIZES_OF_20}
        size={20}
        actions={
          <Button leftSection={<IconPlus size={16} stroke={2} />} onClick={() => setAsking(true)}>
            Generate
          </Button>
        }
        list={({ search, offset, size, sort, flag }) => {
          const by = sort.by && SORTED_BY[sort.by as keyof typeof SORTED_BY];
          return licencesQuery({
            filter: filterOf(search, flag(EXPIRING) === true, at),
            orderby: by ? `${by} ${sort.dir}` : undefined,
            top: size,
            skip: offset,
          });
        }}
        columns={[
          {
            key: 'licenseKey',
            title: 'License key',
            primary: true,
            text: (l) => l.LicenseKey,
            render: (l) => (
              <span className={classes.key}>
                <span className="cp-mono cp-ell">{l.LicenseKey}</span>
                <CopyIcon value={l.LicenseKey} name={`the licence of ${l.Organization}`} />
              </span>
            ),
          },
          { key: 'licenseType', title: 'License type', width: 130, sortable: true, text: (l) => l.LicenseType },
          { key: 'organization', title: 'Organization', width: 220, sortable: true, text: (l) => l.Organization },
          { key: 'connectorId', title: 'Connector ID', width: 150, drop: 2, text: (l) => l.ConnectorId },
          { key: 'connectorName', title: 'Connector name', width: 160, drop: 1, sortable: true, text: (l) => l.ConnectorName },
          {
            key: 'issuedDate',
            title: 'Issued date',
            width: 140,
            drop: 3,
            sortable: true,
            numeric: true,
            text: (l) => formatWhen(l.IssuedDate),
          },
          { key: 'expirationDate', title: 'Expiration date', width: 190, sortable: true, render: (l) => <Expiration licence={l} /> },
        ]}
        name={(l) => `${l.Organization}, ${formatWhen(l.ExpirationDate)}`}
        search="Search by organization"
        filters={[{ name: EXPIRING, label: 'Expiring Soon' }]}
        second={(l) => (
          <>
            <span className="cp-ell cp-grow">{l.LicenseType || 'Licence'}</span>
            <Expiration licence={l} />
          </>
        )}
        detail={(l) => <p className={`cp-mono ${classes.whole}`}>{l.LicenseKey}</p>}
        words={{ emptyText: 'A licence permits the use of a connector. When it expires, a warning appears, but messages are not stopped.' }}
      />
      {isAsking && (
        <GenerateDialog
          onClose={() => setAsking(false)}
          onIssued={(licences) => {
            setAsking(false);
            setIssued(licences);
          }}
        />
      )}
      {issued && (
        <GeneratedDialog
          licences={issued}
          onClose={() => {
            setIssued(null);
            void refreshLicences();
          }}
        />
      )}
    </>
  );
}
