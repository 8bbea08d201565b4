import '../admin.css';
import { Tabs } from '@mantine/core';
import { pathTo } from '@/shared/paths';
import { useGo } from '@/shared/ui/AppLink';
import { PageHead } from '@/shared/ui/PageHead';
import { ConnectionsTab } from './ConnectionsTab';
import { WhitelistTab } from './WhitelistTab';

type IntegrationsTab = 'whitelist' | 'connections';
const TITLES: Record<IntegrationsTab, string> = { whitelist: 'Integrations whitelist', connections: 'Connections' };
const pathOf = (tab: string | null) =>
  tab === 'connections' ? pathTo('/admin/connections', {}) : pathTo('/admin/integrationswhitelist', {});

/** Which organizations may connect other systems, and the systems that they have connected. */
export function IntegrationsPage({ tab }: { tab: IntegrationsTab }) {
  const go = useGo();
  return (
    <>
      <PageHead title={TITLES[tab]} />
      <Tabs value={tab} onChange={(next) => go(pathOf(next))} keepMounted={false} className="adm-tabs">
        <Tabs.List aria-label="Integrations">
          <Tabs.Tab value="whitelist">Whitelist</Tabs.Tab>
          <Tabs.Tab value="connections">Connections</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="whitelist" className="adm-list">
          <WhitelistTab />
        </Tabs.Panel>
        <Tabs.Panel value="connections" className="adm-list">
          <ConnectionsTab />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
