import '../admin.css';
import { Tabs } from '@mantine/core';
import { pathTo } from '@/shared/paths';
import { useGo } from '@/shared/ui/AppLink';
import { PageHead } from '@/shared/ui/PageHead';
import { ConnectionList } from './ConnectionList';
import { RefusalList } from './RefusalList';

export type InterfacesTab = 'connections' | 'refused';
const pathOf = (tab: string | null) =>
  tab === 'refused' ? pathTo('/admin/interfacerefusals', {}) : pathTo('/admin/inboundconnections', {});

/** The systems that may send documents here by HL7 v2 and XDR, and refused messages. */
export function InterfacesPage({ tab }: { tab: InterfacesTab }) {
  const go = useGo();
  return (
    <>
      <PageHead title="Inbound interfaces" />
      <Tabs value={tab} onChange={(next) => go(pathOf(next))} keepMounted={false} className="adm-tabs">
        <Tabs.List aria-label="Inbound interfaces">
          <Tabs.Tab value="connections">Connections</Tabs.Tab>
          <Tabs.Tab value="refused">Refused</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="connections" className="adm-list">
          <ConnectionList />
        </Tabs.Panel>
        <Tabs.Panel value="refused" className="adm-list">
          <RefusalList />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
