import '../admin.css';
import { Tabs } from '@mantine/core';
import { paths } from '@/shared/paths';
import { useGo } from '@/shared/ui/AppLink';
import { PageHead } from '@/shared/ui/PageHead';
import { OrganizationsTab } from './OrganizationsTab';
import { StatusTab } from './StatusTab';

type ImportsTab = 'status' | 'organizations';

/** Imports of many records from a file. */
export function ImportsPage({ tab }: { tab: ImportsTab }) {
  const go = useGo();
  return (
    <>
      <PageHead title="Batch imports" />
      <Tabs value={tab} onChange={(next) => go(paths.adminImports(next as ImportsTab))} keepMounted={false} className="adm-tabs">
        <Tabs.List aria-label="Batch imports">
          <Tabs.Tab value="status">Status</Tabs.Tab>
          <Tabs.Tab value="organizations">Organizations</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="status" className="adm-list">
          <StatusTab />
        </Tabs.Panel>
        <Tabs.Panel value="organizations" className="adm-body">
          <OrganizationsTab />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
