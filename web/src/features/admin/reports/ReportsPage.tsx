import './reports.css';
import { UnstyledButton } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { IconReportAnalytics } from '@tabler/icons-react';
import { useState } from 'react';
import { hasRole } from '@/app/access';
import { useProfile } from '@/app/session';
import { notify } from '@/shared/notify';
import { paths } from '@/shared/paths';
import { AppLink } from '@/shared/ui/AppLink';
import { PageHead } from '@/shared/ui/PageHead';
import { type Tile, TILES } from './tiles';

/** Reports over all organizations, each a CSV file. */
export function ReportsPage() {
  const [asking, ask] = useState<Tile | null>(null);
  const isOperator = hasRole(useProfile(), 'SysAdmin');
  const download = useMutation({
    mutationFn: ({ save }: { name: string; save: () => Promise<boolean> }) => save(),
    onSuccess: (isSaved, { name }) => isSaved && notify('success', `The report ${name} was saved.`),
  });
  return (
    <>
      <PageHead title="Reports" />
      <div className="cp-scroll">
        <ul className="rep-tiles">
          {isOperator && (
            <li>
              <AppLink className="rep-tile" href={paths.adminGeneratedReports}>
                <TileText name="Generated Reports" text="Long reports, created in the background." icon={IconReportAnalytics} />
              </AppLink>
            </li>
          )}
          {TILES.map((tile) => (
            <li key={tile.name}>
              <UnstyledButton
                className="rep-tile"
                aria-busy={download.isPending && download.variables.name === tile.name}
                disabled={download.isPending}
                onClick={() => ('save' in tile ? download.mutate(tile) : ask(tile))}
              >
                <TileText {...tile} />
              </UnstyledButton>
            </li>
          ))}
        </ul>
      </div>
      {asking && 'asks' in asking && asking.asks(() => ask(null))}
    </>
  );
}

function TileText({ name, text, icon: IconOf }: Pick<Tile, 'name' | 'text' | 'icon'>) {
  return (
    <>
      <IconOf size={20} stroke={1.6} aria-hidden />
      <span>
        <span className="cp-block cp-strong">{name}</span>
        <span className="cp-block cp-second">{text}</span>
      </span>
    </>
  );
}
