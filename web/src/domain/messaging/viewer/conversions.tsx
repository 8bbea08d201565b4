import { ActionIcon, Menu } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { IconDots, IconFileCode, IconFileTypePdf, IconRestore } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Attachment } from '@/api/types';
import { askForUpgrade } from '@/app/upgrade';
import { reportFailure } from '@/shared/errors';
import { notify } from '@/shared/notify';
import { useAsk } from '@/shared/ui/AskDialog';
import { isStructured } from '../rules';
import { convertAttachment, type ConvertTo, restoreAttachment, timedOutOr, whenSettled } from './api';

/** Formats for converting a file. */
export function targetsOf(a: Attachment): ConvertTo[] {
  if (a.transformStatus === 'Pending' || a.isConvertible === false) return [];
  const targets: ConvertTo[] = [];
  if (a.mimeType !== 'application/pdf') targets.push('Pdf');
  if (!isStructured(a)) targets.push('Cda');
  return targets;
}

const NAMES = { Pdf: 'PDF', Cda: 'C-CDA' };

/**
 * Converts files in place and restores their originals. `items` go into the menu of a file, `question` outside of it; `onChanged`
 * gets each state of the file. A plan that lacks C-CDA gets the upgrade dialog instead.
 */
export function useConversions(
  onChanged: (attachment: Attachment) => void,
  lacksCda = false,
): { items: (a: Attachment) => ReactNode; question: ReactNode } {
  const client = useQueryClient();
  const [ask, question] = useAsk();
  /** The fetched data belongs to another file. */
  const put = (fresh: Attachment) => {
    onChanged(fresh);
    if (fresh.transformStatus !== 'Pending') void client.resetQueries({ queryKey: ['attachment', fresh.id] });
  };
  const convert = async (a: Attachment, to: ConvertTo) => {
    if (to === 'Cda' && lacksCda) return askForUpgrade();
    try {
      onChanged(await convertAttachment(a, to));
      const made = await whenSettled(a);
      put(made);
      if (made.transformStatus === 'Failed') notify('error', made.transformError || 'The file could not be converted.');
      else notify('success', `${made.fileName} was created.`);
    } catch (error) {
      reportFailure(error, timedOutOr(error, 'The file could not be converted. Please try again.'), { serverFirst: true });
    }
  };
  const restore = (a: Attachment) =>
    ask({
      title: 'Restore Attachment',
      subject: a.fileName,
      question: 'You are about to restore the attachment to its original state. Are you sure?',
      label: 'Restore',
      run: async () => put(await restoreAttachment(a)),
      done: 'Original attachment restored.',
      failed: 'Error restoring attachment.',
    });
  const items = (a: Attachment) => (
    <>
      {targetsOf(a).map((to) => (
        <Menu.Item
          key={to}
          leftSection={to === 'Pdf' ? <IconFileTypePdf size={16} stroke={1.6} /> : <IconFileCode size={16} stroke={1.6} />}
          onClick={() => void convert(a, to)}
        >
          Convert to {NAMES[to]}
        </Menu.Item>
      ))}
      {a.isRestorable && a.transformStatus !== 'Pending' && (
        <Menu.Item leftSection={<IconRestore size={16} stroke={1.6} />} onClick={() => restore(a)}>
          Restore the original
        </Menu.Item>
      )}
    </>
  );
  return { items, question };
}

/** The same behind a button of its own, for a list whose files have no menu. Renders nothing without actions. */
export function ConversionMenu({ attachment: a, onChanged }: { attachment: Attachment; onChanged: (attachment: Attachment) => void }) {
  const { items, question } = useConversions(onChanged);
  if (!targetsOf(a).length && !a.isRestorable) return null;
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon size={26} aria-label={`Convert ${a.fileName}`}>
            <IconDots size={16} stroke={1.6} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>{items(a)}</Menu.Dropdown>
      </Menu>
      {question}
    </>
  );
}
