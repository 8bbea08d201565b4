import '../admin.css';
import './networks.css';
import { Button, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { NetworkForm } from '@/api/limits.gen';
import { queryOf } from '@/api/query';
import type { Network, NetworkOverview } from '@/api/types';
import { NetworkFeatures } from '@/app/networkFeatures';
import { queryClient, useHasRole } from '@/app/session';
import { Fields, useFieldForm } from '@/shared/form/fields';
import { Form } from '@/shared/form/Form';
import { changedFields, useConflict } from '@/shared/form/conflict';
import { FormLoading, Saved } from '@/shared/form/saved';
import { formatCount, formatDateTime } from '@/shared/format';
import { notify } from '@/shared/notify';
import { ownName } from '@/shared/owner';
import { paths } from '@/shared/paths';
import { useGo } from '@/shared/ui/AppLink';
import { ErrorState, Notice, NoticeList } from '@/shared/ui/blocks';
import { BackHead } from '@/shared/ui/BackHead';
import { PageHead } from '@/shared/ui/PageHead';
import { HELP } from '@/shared/help';
import { HelpTip } from '@/shared/ui/HelpTip';
import { at, networkFields, networkQuery, renameNetwork } from './api';
import { FeaturesTab } from './FeaturesTab';
import { AdministratorsTab, OrganizationsTab } from './members';
import { Section } from './Section';
import { ServiceAccountTab } from './ServiceAccountTab';
import { isNetworkTab, type NetworkTab, TABS } from './search';

/** Cap of counts. */
const COUNT_CAP = 10_000;

/** A network, for its administrators and for system administrators. */
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
          <FormLoading />
        )}
      </>
    );
  }
  const goTab = (next: string | null) => go(paths.network(id, next && isNetworkTab(next) ? next : 'details'), { replace: true });
  return (
    <>
      <Head title={network.name} />
      <Tabs value={tab} onChange={goTab} keepMounted={false} className="adm-tabs">
        <Tabs.List ref={tabs} aria-label={network.name}>
          {TABS.map((t) => (
            <Tabs.Tab key={t.value} value={t.value} data-tab={t.value}>
              {t.label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="details" className="cp-scroll adm-body">
          <Saved query={networkQuery(id)} failed="The network could not be loaded">
            {(saved, reload) => <Details network={saved} onReload={reload} />}
          </Saved>
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
  const go = useGo();
  const isOperator = useHasRole('SysAdmin');
  if (!isOperator) return <PageHead title={title} />;
  return <BackHead title={title} back={{ label: 'Back to Networks', run: () => go(paths.adminNetworks) }} />;
}

function Details({ network, onReload }: { network: Network; onReload: () => void }) {
  const isOperator = useHasRole('SysAdmin');
  const conflict = useConflict({
    saved: network,
    latest: () => queryClient.fetchQuery({ ...networkQuery(network.id), staleTime: 0 }),
    what: 'network',
    changes: changedFields({ name: networkFields.name.label }),
    button: 'Save Changes',
    onLoad: () => {
      forget();
      onReload();
    },
  });
  const { form, busy, formErrors, onSubmit, forget } = useFieldForm({
    fields: networkFields,
    limits: NetworkForm,
    initialValues: { name: network.name },
    keepAs: ownName(`network.${network.id}`),
    base: conflict.base,
    submit: async ({ name }) => {
      const isSaved = await conflict.save((version) => renameNetwork(network.id, name, version ?? network.version));
      if (isSaved) notify('success', 'The network was saved.');
      return isSaved;
    },
  });
  return (
    <Form onSubmit={onSubmit}>
      {conflict.banner && <div className="adm-notice">{conflict.banner}</div>}
      <NoticeList kind="error" messages={formErrors} />
      <Section title="Network" text="The name of the network.">
        <div className="net-form">
          <Fields of={networkFields} limits={NetworkForm} form={form} />
          <div>
            <Button type="submit" loading={busy}>
              Save Changes
            </Button>
          </div>
        </div>
      </Section>
      <NetworkFeatures required={['SingleSignOn']}>
        <Section title="Single sign-on" text="Sign-in options for people of the network.">
          <Notice kind="info">Administrators of the network’s organizations can set up a sign-in provider under Single sign-on.</Notice>
        </Section>
      </NetworkFeatures>
      {isOperator && <Overview id={network.id} />}
    </Form>
  );
}

function Overview({ id }: { id: string }) {
  const query = useQuery({ ...queryOf('get', '/api/admin/networks/{id}', at(id)), staleTime: 0 });
  return (
    <Section title="Overview" text="Members of the network.">
      {query.error && !query.data ? (
        <ErrorState title="The overview could not be loaded" error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <Facts of={query.data} />
      )}
    </Section>
  );
}

/** Dots while a value is loading. */
function Facts({ of: data }: { of: NetworkOverview | undefined }) {
  const count = (n: number | undefined) => (n === undefined ? '…' : formatCount(n, n >= COUNT_CAP));
  return (
    <dl className="net-facts cp-num">
      <dt>Organizations</dt>
      <dd>{count(data?.organizationCount)}</dd>
      <dt>
        Administrators
        <HelpTip text={HELP.networkAdministrator} />
      </dt>
      <dd>{count(data?.adminCount)}</dd>
      <dt>Service account</dt>
      <dd>{data ? (data.hasServiceAccount ? 'Yes' : 'None') : '…'}</dd>
      <dt>Created</dt>
      <dd>{data ? formatDateTime(data.createDate) || '–' : '…'}</dd>
    </dl>
  );
}
