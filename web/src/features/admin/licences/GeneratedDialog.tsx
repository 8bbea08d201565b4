import { Button } from '@mantine/core';
import { IconCopy } from '@tabler/icons-react';
import type { License } from '@/api/types';
import { copyText } from '@/shared/copy';
import { formatWhen } from '@/shared/format';
import { Dialog } from '@/shared/ui/Dialog';
import classes from './licences.module.css';

/** The licences that were generated. */
export function GeneratedDialog({ licences, onClose }: { licences: License[]; onClose: () => void }) {
  const all = licences.map((l) => l.LicenseKey).join('\n');
  return (
    <Dialog
      opened
      locked
      onClose={onClose}
      title="Generated License Keys"
      footer={
        <>
          <Button
            size="md"
            variant="default"
            leftSection={<IconCopy size={16} stroke={1.6} />}
            onClick={() => void copyText(all, 'The licences were copied.')}
          >
            Copy all
          </Button>
          <div className="cp-grow" />
          <Button size="md" onClick={onClose} data-autofocus>
            Close
          </Button>
        </>
      }
    >
      <p className="cp-second">
        For {licences[0]?.Organization}, until {formatWhen(licences[0]?.ExpirationDate)}.
      </p>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls */}
      <ul className={classes.generated} aria-label="Generated licences" tabIndex={0}>
        {licences.map((l) => (
          <li key={l.Id} className="cp-mono">
            {l.LicenseKey}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
