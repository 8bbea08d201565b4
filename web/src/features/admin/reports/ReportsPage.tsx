import './reports.css';
import { UnstyledButton } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { IconBuildingHospital, IconMail, IconMailOff, IconMessages, IconUsers } from '@tabler/icons-react';
import { useState } from 'react';
import { notify } from '@/shared/notify';
import { PageHead } from '@/shared/ui/PageHead';
import type { Icon } from '@/shared/ui/states';
import { saveDirectAddresses, saveOrganizations, saveUsers } from './api';
import { MessagesReportDialog, UnassignedAddressesDialog } from './dialogs';

type Tile = { name: string; text: string; icon: Icon } & ({ save: () => Promise<boolean> } | { asks: 'messages' | 'unassigned' });

const TILES: Tile[] = [
  {
    name: 'Direct Addresses',
    text: 'The Direct addresses of all organizations.',
    icon: IconMail,
    save: saveDirectAddresses,
  },
  {
    name: 'Organizations',
    text: 'All organizations with network, reseller, tier and state.',
    icon: IconBuildingHospital,
    save: saveOrganizations,
  },
  { name: 'Users', text: 'All users with their organizations and roles.', icon: IconUsers, save: saveUsers },
  { name: 'Messages', text: 'What happened to messages on some days.', icon: IconMessages, asks: 'messages' },
  {
    name: 'Unassigned Addresses',
    text: 'Direct addresses of chosen organizations from which nobody may send.',
    icon: IconMailOff,
    asks: 'unassigned',
  },
];

/** Reports over all organizations, each a CSV file. */
export function ReportsPage() {
  const [asking, ask] = useState<'messages' | 'unassigned' | null>(null);
  const close = () => ask(null);
  const download = useMutation({
    mutationFn: ({ save }: { name: string; save: () => Promise<boolean> }) => save(),
    onSuccess: (isSaved, { name }) => isSaved && notify('success', `The report ${name} was saved.`),
  });
  return (
    <>
      <PageHead title="Reports" />
      <div className="cp-scroll">
        <ul className="rep-tiles">
          {TILES.map((tile) => (
            <li key={tile.name}>
              <UnstyledButton
                className="rep-tile"
                aria-busy={download.isPending && download.variables.name === tile.name}
                disabled={download.isPending}
                onClick={() => ('save' in tile ? download.mutate(tile) : ask(tile.asks))}
              >
                <tile.icon size={20} stroke={1.6} aria-hidden />
                <span>
                  <span className="cp-block cp-strong">{tile.name}</span>
                  <span className="cp-block cp-second">{tile.text}</span>
                </span>
              </UnstyledButton>
            </li>
          ))}
        </ul>
      </div>
      {asking === 'messages' && <MessagesReportDialog onClose={close} />}
      {asking === 'unassigned' && <UnassignedAddressesDialog onClose={close} />}
    </>
  );
}
