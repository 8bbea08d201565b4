import '../admin.css';
import { Tabs } from '@mantine/core';
import { paths } from '@/shared/paths';
import { useGo } from '@/shared/ui/AppLink';
import { PageHead } from '@/shared/ui/PageHead';
import { AnchorList } from './AnchorList';
import { BundleList } from './BundleList';
import { OwnAuthority } from './OwnAuthority';

type TrustTab = 'bundles' | 'anchors' | 'own';

/**
 * The certificates trusted besides those of this installation's authority, and the details that partners need to trust that one.
 */
export function TrustPage({ tab }: { tab: TrustTab }) {
  const go = useGo();
  return (
    <>
      <PageHead title="Trust" />
      <Tabs value={tab} onChange={(next) => go(paths.adminTrust(next as TrustTab))} keepMounted={false} className="adm-tabs">
        <Tabs.List aria-label="Trust">
          <Tabs.Tab value="bundles">Bundles</Tabs.Tab>
          <Tabs.Tab value="anchors">Anchors</Tabs.Tab>
          <Tabs.Tab value="own">This installation</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="bundles" className="adm-list">
          <BundleList />
        </Tabs.Panel>
        <Tabs.Panel value="anchors" className="adm-list">
          <AnchorList />
        </Tabs.Panel>
        <Tabs.Panel value="own" className="adm-panel">
          <OwnAuthority />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
