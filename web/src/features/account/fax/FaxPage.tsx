import './fax.css';
import { Tabs } from '@mantine/core';
import { paths } from '@/shared/paths';
import { useGo } from '@/shared/ui/AppLink';
import { PageHead } from '@/shared/ui/PageHead';
import { LogTab } from './LogTab';
import { NumbersTab } from './NumbersTab';
import { type FaxTab, TABS } from './search';
import { SettingsTab } from './SettingsTab';

/** The fax of the organization, for its administrators. */
export function FaxPage({ tab }: { tab: FaxTab }) {
  const go = useGo();
  return (
    <>
      <PageHead title="Fax" />
      <Tabs
        value={tab}
        onChange={(next) => go(paths.fax((next ?? 'log') as FaxTab), { replace: true })}
        keepMounted={false}
        className="fax-tabs"
      >
        <Tabs.List aria-label="Fax">
          {TABS.map((t) => (
            <Tabs.Tab key={t.value} value={t.value}>
              {t.label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="log" className="fax-list">
          <LogTab />
        </Tabs.Panel>
        <Tabs.Panel value="numbers" className="fax-list">
          <NumbersTab />
        </Tabs.Panel>
        <Tabs.Panel value="settings" className="cp-scroll acc-body">
          <SettingsTab />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
