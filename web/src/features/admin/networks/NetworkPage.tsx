import '../admin.css';
import './networks.css';
import { ActionIcon, Button, Tabs, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconArrowLeft } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '@/api/client';
import type { Network } from '@/api/types';
import { SINGLE_SIGN_ON } from '@/app/access';
import { NetworkFeatures } from '@/app/networkFeatures';
import { useHasRole } from '@/app/session';
import { Form } from '@/shared/form/Form';
import { useServerForm } from '@/shared/form/useServerForm';
import { formatCount, formatDateTime } from '@/shared/format';
import { notify } from '@/shared/notify';
import { paths } from '@/shared/paths';
import { useShortcuts } from '@/shared/shortcuts';
import { useGo } from '@/shared/ui/AppLink';
import { Banner, ErrorState, Notice, NoticeList } from '@/shared/ui/blocks';
import { PageHead } from '@/shared/ui/PageHead';
import { useViewport } from '@/shared/useViewport';
import { networkQuery, overviewQuery, renameNetwork } from './api';
import { FeaturesTab } from './FeaturesTab';
import { AdministratorsTab, OrganizationsTab } from './members';
import { Section } from './Section';
import { ServiceAccountTab } from './ServiceAccountTab';
import { checkName, NAME_MAX } from './rules';
import { isNetworkTab, type NetworkTab, TABS } from './search';

/** The most that is counted. */
const COUNT_CAP = 10_000;

/** A network, for those who administer it and for system administrators. */
export function NetworkPage({ id, tab }: { id: string; tab: NetworkTab }) {
  const go = useGo();
  const query = useQuery(networkQuery(id));
  const network = query.data;
  const tabs = useRef<HTMLDivElement>(null);
  // On phones not all tabs fit.
  const isThere = Boolean(network);
  useEffect(() => {
    if (isThere) tabs.current?.querySelector(`[data-tab="${tab}"]`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [tab, isThere]);
  if (!network) {
    return (
      <>
        <Head title="Network" />
        {query.error ? (
          <ErrorState title="The network could not be loaded" error={query.error} onRetry={() => void query.refetch()} />
        ) : (
          <div className="adm-loading" role="status" aria-label="Loading">
            <div className="cp-bone" style={{ width: '30%' }} />
            <div className="cp-bone" style={{ width: '60%' }} />
          </div>
        )}
      </>
    );
  }
  const goTab = (next: string | null) => go(paths.network(id, next && isNetworkTab(next) ? next : 'details'), { replace: true });
  return (
    <>
      <Head title={network.name} />
      <Tabs value={tab} onChange={goTab} keepMounted={false} className="adm-tabs net-tabs">
        <Tabs.List ref={tabs} aria-label={network.name}>
          {TABS.map((t) => (
            <Tabs.Tab key={t.value} value={t.value} data-tab={t.value}>
              {t.label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="details" className="cp-scroll adm-body">
          <Details key={network.version} network={network} onReload={() => void query.refetch()} />
        </Tabs.Panel>
        <Tabs.Panel value="organizations" className="net-list">
          <OrganizationsTab network={network} />
        </Tabs.Panel>
        <Tabs.Panel value="administrators" className="net-list">
          <AdministratorsTab network={network} />
        </Tabs.Panel>
        <Tabs.Panel value="features" className="cp-scroll adm-body">
          <FeaturesTab id={id} />
        </Tabs.Panel>
        <Tabs.Panel value="serviceaccount" className="cp-scroll adm-body">
          <ServiceAccountTab network={network} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

/** System administrators come from the list of all networks, and go back there. */
function Head({ title }: { title: string }) {
  const isOperator = useHasRole('SysAdmin');
  return isOperator ? <HeadOfOne title={title} /> : <PageHead title={title} />;
}

function HeadOfOne({ title }: { title: string }) {
  const go = useGo();
  const { isPhone } = useViewport();
  const leave = () => go(paths.adminNetworks);
  useShortcuts([{ keys: 'Escape', label: 'Back to Networks', run: leave }]);
  return (
    <div className={isPhone ? 'm-top adm-head' : 'cp-head adm-head'}>
      <ActionIcon aria-label="Back to Networks" size={isPhone ? 44 : 36} onClick={leave}>
        <IconArrowLeft size={19} stroke={1.6} />
      </ActionIcon>
      <h1 className="cp-ell" title={title}>
        {title}
      </h1>
    </div>
  );
}

function Details({ network, onReload }: { network: Network; onReload: () => void }) {
  const isOperator = useHasRole('SysAdmin');
  const [isStale, setStale] = useState(false);
  const { form, busy, formErrors, onSubmit, forget } = useServerForm({
    initialValues: { name: network.name },
    validate: { name: checkName },
    keepAs: `network.${network.id}`,
    submit: async ({ name }) => {
      try {
        await renameNetwork(network.id, name.trim(), network.version);
        notify('success', 'The network was saved.');
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 409) throw error;
        setStale(true);
      }
    },
  });
  return (
    <Form onSubmit={onSubmit}>
      {isStale && (
        <div className="adm-notice">
          <Banner caption="This network has changed.">
            Somebody else has changed it since you opened it.
            <div className="cp-row adm-stale">
              <Button
                size="xs"
                variant="default"
                onClick={() => {
                  forget();
                  onReload();
                }}
              >
                Load their version
              </Button>
            </div>
          </Banner>
        </div>
      )}
      <NoticeList kind="error" messages={formErrors} />
      <Section title="Network" text="What it is called.">
        <div className="net-form">
          <TextInput size="md" label="Name" required maxLength={NAME_MAX} {...form.getInputProps('name')} />
          <div>
            <Button type="submit" loading={busy}>
              Save Changes
            </Button>
          </div>
        </div>
      </Section>
      <NetworkFeatures required={[SINGLE_SIGN_ON]}>
        <Section title="Single sign-on" text="How people of the network may sign in.">
          <Notice kind="info">
            This network has the feature {SINGLE_SIGN_ON}. Single sign-on can be switched on for each of its organizations.
          </Notice>
        </Section>
      </NetworkFeatures>
      {isOperator && <Overview id={network.id} />}
    </Form>
  );
}

function Overview({ id }: { id: string }) {
  const { data } = useQuery(overviewQuery(id));
  const count = (n: number | undefined) => (n === undefined ? '…' : formatCount(n, n >= COUNT_CAP));
  return (
    <Section title="Overview" text="What belongs to it.">
      <dl className="net-facts cp-num">
        <dt>Organizations</dt>
        <dd>{count(data?.organizationCount)}</dd>
        <dt>Administrators</dt>
        <dd>{count(data?.adminCount)}</dd>
        <dt>Service account</dt>
        <dd>{data ? (data.hasServiceAccount ? 'Yes' : 'None') : '…'}</dd>
        <dt>Created</dt>
        <dd>{data ? formatDateTime(data.createDate) || '–' : '…'}</dd>
      </dl>
    </Section>
  );
}
