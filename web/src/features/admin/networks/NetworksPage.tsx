import '../admin.css';
import { Button, Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconAffiliate, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import type { Network } from '@/api/types';
import { formatCount, formatDateTime, formatWhen } from '@/shared/format';
import { paths } from '@/shared/paths';
import { useShortcuts } from '@/shared/shortcuts';
import type { Column } from '@/shared/table/DataTable';
import { SearchInput } from '@/shared/table/filters';
import { useListState } from '@/shared/table/useListState';
import { useGo } from '@/shared/ui/AppLink';
import { EmptyState } from '@/shared/ui/blocks';
import { PageHead } from '@/shared/ui/PageHead';
import { useViewport } from '@/shared/useViewport';
import { deleteNetwork, networksQuery } from './api';
import { AskDialog, NewNetworkDialog } from './dialogs';
import { PagedList } from '@/shared/table/PagedList';

const created = (n: Network) => (n.createDate ? formatWhen(n.createDate) : '–');
const columns: Column<Network>[] = [
  { key: 'name', title: 'Network', primary: true, text: (n) => n.name },
  { key: 'created', title: 'Created', width: 180, numeric: true, text: (n) => formatDateTime(n.createDate), render: created },
];

/** All networks of the platform. */
export function NetworksPage() {
  const go = useGo();
  const { isPhone } = useViewport();
  const list = useListState();
  const { words, page, size } = list;
  const query = useQuery(networksQuery({ search: words || undefined, page, size }));
  const [creates, setCreates] = useState(false);
  const [leaving, setLeaving] = useState<Network | null>(null);
  useShortcuts([{ keys: 'n', label: 'Create a network', run: () => setCreates(true) }]);
  const create = (
    <Button leftSection={<IconPlus size={16} stroke={2} />} onClick={() => setCreates(true)}>
      Create
    </Button>
  );
  return (
    <>
      <PageHead
        title="Networks"
        beside={
          query.data && !isPhone && <span className="cp-muted cp-num">{formatCount(query.data.totalCount, query.data.totalIsCapped)}</span>
        }
        actions={create}
      />
      <div className="cp-bar adm-bar">
        <SearchInput
          label="Search networks"
          placeholder="Search by name"
          width={isPhone ? '100%' : 280}
          value={words}
          onChange={list.setSearch}
        />
      </div>
      <PagedList
        label="Networks"
        noun="networks"
        query={query}
        list={list}
        columns={columns}
        name={(n) => n.name}
        onOpen={(n) => go(paths.network(n.id))}
        href={(n) => paths.network(n.id)}
        second={(n) => `Created: ${created(n)}`}
        empty={
          words ? (
            <EmptyState icon={IconAffiliate} title="No network matches" text="Try how the name begins.">
              <Button variant="default" onClick={() => list.set({ search: undefined })}>
                Show all
              </Button>
            </EmptyState>
          ) : (
            <EmptyState icon={IconAffiliate} title="No networks yet" text="A network groups organizations under administrators of its own.">
              {create}
            </EmptyState>
          )
        }
        menu={(n) => (
          <>
            <Menu.Label>{n.name}</Menu.Label>
            <Menu.Item leftSection={<IconPencil size={16} stroke={1.6} />} onClick={() => go(paths.network(n.id))}>
              Edit
            </Menu.Item>
            <Menu.Divider />
            <Menu.Item data-danger leftSection={<IconTrash size={16} stroke={1.6} />} onClick={() => setLeaving(n)}>
              Delete Network
            </Menu.Item>
          </>
        )}
      />
      {creates && <NewNetworkDialog onClose={() => setCreates(false)} onCreated={(id) => go(paths.network(id))} />}
      {leaving && (
        <AskDialog
          title="Delete Network"
          subject={leaving.name}
          question="Its administrators are signed out and lose their role, and its service account ends. Are you sure?"
          label="Delete"
          danger
          run={() => deleteNetwork(leaving.id)}
          done="The network was deleted."
          failed="The network could not be deleted. Please try again."
          onClose={() => setLeaving(null)}
        />
      )}
    </>
  );
}
