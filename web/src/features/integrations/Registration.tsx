import { Button } from '@mantine/core';
import { IconCopy, IconKey } from '@tabler/icons-react';
import type { Ref } from 'react';
import type { EhrAuthentication, EhrConnection } from '@/api/types';
import { copyText } from '@/shared/copy';
import { formatDay } from '@/shared/format';
import { Banner } from '@/shared/ui/blocks';
import { CopyIcon } from '@/shared/ui/CopyIcon';
import { DownloadButton } from '@/shared/ui/DownloadButton';
import { downloadKey } from './api';

export const copyKeyAddress = ({ keySetUrl }: EhrConnection) => void copyText(keySetUrl, 'The address of our keys was copied.');

type KeyProps = { connection: EhrConnection; onNewKey?: () => void; mainButton: Ref<HTMLButtonElement> };

function KeyPair({ connection, onNewKey, mainButton }: KeyProps) {
  return (
    <>
      <dl className="cp-kv">
        <dt>Key</dt>
        <dd>
          <span className="cp-mono">{connection.keyId}</span>, since {formatDay(connection.keyMadeAt)}
        </dd>
        <dt>Address</dt>
        <dd className="cp-mono">{connection.keySetUrl}</dd>
      </dl>
      <div className="int-buttons">
        <Button
          ref={mainButton}
          size="sm"
          variant="default"
          leftSection={<IconCopy size={16} stroke={1.6} />}
          onClick={() => copyKeyAddress(connection)}
        >
          Copy address of our keys
        </Button>
        <DownloadButton size="sm" label="Download key set" save={() => downloadKey(connection, 'KeySet')} />
        <DownloadButton size="sm" label="Download certificate" save={() => downloadKey(connection, 'Certificate')} />
        {onNewKey && (
          <Button size="sm" variant="default" leftSection={<IconKey size={16} stroke={1.6} />} onClick={onNewKey}>
            New key
          </Button>
        )}
      </div>
    </>
  );
}

const Redirect = ({ url }: { url: string }) => (
  <p className="int-line">
    People come back from the EHR to <span className="cp-mono">{url}</span> <CopyIcon value={url} name="the redirect URL" />
  </p>
);

/** What to do at the EHR, until it knows the key or address. */
function WhatNow({ authentication, news }: { authentication: EhrAuthentication; news: 'added' | 'rekeyed' }) {
  if (news === 'rekeyed')
    return (
      <Banner kind="info" caption="The new key is in use.">
        An EHR that reads our keys from their address needs nothing more. Any other needs the new key set or certificate. Then test again.
      </Banner>
    );
  return (
    <Banner kind="info" caption="Now register this at the EHR.">
      {authentication === 'KeyPair'
        ? 'Give its administrator the address of our keys or, if it takes no address, the key set or certificate. Then test again.'
        : 'Give its administrator the redirect URL. Then people can sign in there.'}
    </Banner>
  );
}

type Props = {
  authentication: EhrAuthentication | null;
  /** The saved connection; its keys are made when it is first saved. */
  connection: EhrConnection | null;
  /** The same for all connections of the installation, if there is any yet. */
  redirectUrl: string | undefined;
  /** There is something new to register. */
  news: 'added' | 'rekeyed' | undefined;
  onNewKey?: () => void;
  mainButton: Ref<HTMLButtonElement>;
};

/** What the EHR has to know of us. */
export function Registration({ authentication, connection, redirectUrl, news, onNewKey, mainButton }: Props) {
  if (!authentication || authentication === 'Open') return null;
  const isKeyPair = authentication === 'KeyPair';
  return (
    <section className="cp-sec int-part" aria-label="To register at the EHR">
      <div className="cp-sec-h">
        <h3>To register at the EHR</h3>
      </div>
      {news && <WhatNow authentication={authentication} news={news} />}
      {isKeyPair && connection && <KeyPair connection={connection} onNewKey={onNewKey} mainButton={mainButton} />}
      {!isKeyPair && redirectUrl && <Redirect url={redirectUrl} />}
      {isKeyPair && !connection && (
        <p className="cp-second int-line">
          The key appears here after the first save. If the EHR needs it before it gives you a client ID, switch the connection off and save
          it without one.
        </p>
      )}
    </section>
  );
}
