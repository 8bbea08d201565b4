import { Button, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconCopy, IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { queryOf } from '@/api/query';
import type { TrustAuthority } from '@/api/types';
import { copyText } from '@/shared/copy';
import { FormLoading } from '@/shared/form/saved';
import { formatDay } from '@/shared/format';
import { madeName, saveFile } from '@/shared/saveFile';
import { ErrorState } from '@/shared/ui/blocks';
import { CopyIcon } from '@/shared/ui/CopyIcon';
import { fingerprintOf, partnerText } from './partners';
import classes from './trust.module.css';

const save = (text: string, type: string, kind: string, extension: string) =>
  saveFile(new Blob([text], { type }), madeName(kind, extension));

/** The authority of this installation, whose certificate partners need, and further information for them. */
export function OwnAuthority() {
  const query = useQuery(queryOf('get', '/api/admin/trust/authority'));
  if (query.error)
    return <ErrorState title="The certificate could not be loaded" error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <FormLoading />;
  return (
    <div className={`cp-scroll ${classes.own}`}>
      <Certificate own={query.data} />
      <ForPartners own={query.data} />
    </div>
  );
}

function Certificate({ own }: { own: TrustAuthority }) {
  const fingerprint = fingerprintOf(own.fingerprint);
  return (
    <section aria-label="Certificate of this installation">
      <h2>Certificate of this installation</h2>
      <p className="cp-second">Its authority issues the certificates of all Direct domains here. Partners need it as a trust anchor.</p>
      <dl className={classes.facts}>
        <dt>Authority</dt>
        <dd>{own.name}</dd>
        <dt>Subject</dt>
        <dd>{own.subject}</dd>
        <dt>SHA-256 fingerprint</dt>
        <dd className="cp-mono">
          {fingerprint} <CopyIcon value={fingerprint} name="fingerprint" />
        </dd>
        <dt>Valid</dt>
        <dd>
          {formatDay(own.notBefore)} to {formatDay(own.notAfter)}
        </dd>
      </dl>
      <div className={classes.acts}>
        <Button
          leftSection={<IconDownload size={16} stroke={1.6} />}
          onClick={() => save(own.certificate, 'application/x-pem-file', 'authority', 'pem')}
        >
          Download certificate
        </Button>
      </div>
    </section>
  );
}

/** A text for partners. The test address is entered here and stored nowhere. */
function ForPartners({ own }: { own: TrustAuthority }) {
  const [address, setAddress] = useState('');
  const text = partnerText(own, address);
  return (
    <section aria-label="For partners">
      <h2>For partners</h2>
      <p className="cp-second">What a partner needs to exchange mail with the organizations of this installation.</p>
      <Select
        className={classes.address}
        label="Test address"
        description="Partners are asked to write to it. Leave empty to omit the test."
        placeholder="None"
        data={own.addresses}
        searchable
        clearable
        value={address || null}
        onChange={(chosen) => setAddress(chosen ?? '')}
      />
      <div className={classes.acts}>
        <Button
          variant="default"
          leftSection={<IconCopy size={16} stroke={1.6} />}
          onClick={() => void copyText(text, 'The text was copied.')}
        >
          Copy text
        </Button>
        <Button
          variant="default"
          leftSection={<IconDownload size={16} stroke={1.6} />}
          onClick={() => save(text, 'text/plain', 'partners', 'txt')}
        >
          Download text
        </Button>
      </div>
      <pre className={`cp-mono ${classes.text}`} aria-label="Text for partners" tabIndex={0}>
        {text}
      </pre>
    </section>
  );
}
