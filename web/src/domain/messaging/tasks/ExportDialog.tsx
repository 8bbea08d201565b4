import { Button, Checkbox, Radio, Stack } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ExportForm, InteroperabilitySettings, Task } from '@/api/types';
import { useProfile } from '@/app/session';
import { askForUpgrade, isPlanRestricted } from '@/app/upgrade';
import { interoperabilityQuery } from '@/domain/messaging/api';
import { reportFailure } from '@/shared/errors';
import { plural } from '@/shared/format';
import { notify } from '@/shared/notify';
import { paths } from '@/shared/paths';
import { canSaveFiles } from '@/shared/saveFile';
import { Dialog } from '@/shared/ui/Dialog';
import { createTask, tasksQuery } from './api';
import { openTasks } from './opened';
import { CANNOT_SAVE, canPickFolder, noteBegun, pickFolder } from './saving';

/** The most messages of one export, and of one print. */
export const EXPORTED_MAX = 1000;
export const PRINTED_MAX = 50;
const NOTICE_DELAY_MS = 3000;
const PRINT_FAILED = 'An error occurred while attempting to print. Please try again.';
const EXPORT_FAILED = 'An error occured while exporting. Please contact support.';

const FORMS: { value: ExportForm; label: string; description: string }[] = [
  { value: 'NativeExport', label: 'Original files', description: 'As received.' },
  { value: 'PDFExport', label: 'PDF', description: 'Every document as PDF.' },
  { value: 'StructuredExport', label: 'C-CDA', description: 'Clinical documents with the metadata of XDS-SD.' },
];

/** The organization's export format, among those of its plan. */
export function usualForm(settings: Pick<InteroperabilitySettings, 'exportOption'> | undefined, lacksStructured: boolean): ExportForm {
  return settings?.exportOption === 'xds-sd_cda' && !lacksStructured ? 'StructuredExport' : 'NativeExport';
}

/** The print page is opened during the click: later the browser would block it. */
function openPrint(id: string) {
  const open = () => window.open(paths.printTask(id), '_blank');
  if (!open()) notify('error', PRINT_FAILED, { action: { label: 'Print', run: () => void open() } });
}

/** Says that it continues in the background, unless it has ended by then. */
function useLateNotice() {
  const client = useQueryClient();
  return (task: Task) => {
    setTimeout(() => {
      const now = client.getQueryData(tasksQuery.queryKey)?.find(({ id }) => id === task.id);
      if (!now?.worker.inProgress) return;
      notify('info', `${task.content} continues in the background.`, { action: { label: 'Show', run: openTasks } });
    }, NOTICE_DELAY_MS);
  };
}

type Props = {
  ids: string[];
  prints?: boolean;
  /** Some of the messages are not processed yet. */
  isOpen?: boolean;
  onClose: () => void;
  onBegun?: (form: ExportForm) => void;
};

/** Exports or prints messages, one or many, in the background. */
export function ExportDialog({ ids, prints = false, isOpen = true, onClose, onBegun }: Props) {
  const profile = useProfile();
  const client = useQueryClient();
  const tellLater = useLateNotice();
  const { data: settings } = useQuery(interoperabilityQuery);
  const lacksStructured = isPlanRestricted(profile, 'structuredExport');
  const [chosen, choose] = useState<ExportForm | null>(null);
  // Exporting does not file: that is a separate choice.
  const [processes, setProcesses] = useState(false);
  const [acceptsGaps, setAcceptsGaps] = useState(false);
  const [place, setPlace] = useState<'download' | 'folder' | null>(null);
  const form = prints ? 'Printed' : (chosen ?? usualForm(settings, lacksStructured));
  const mayPickFolder = !prints && canPickFolder();
  const target = place ?? (settings?.exportDirectoryType === 'patient_folder' ? 'folder' : 'download');
  const needsAll = settings?.nonPatientExport === false || settings?.gaps === 'refuse';
  const asksForGaps = processes && settings?.nonPatientExport && settings.gaps === 'ask' && settings.exportMode !== 'print';

  const begin = useMutation({
    meta: { ownErrors: true },
    mutationFn: async () => {
      const folder = mayPickFolder && target === 'folder' ? await pickFolder() : null;
      if (mayPickFolder && target === 'folder' && !folder) return null;
      return { folder, task: await createTask({ ids, form, isProcessed: processes, acceptsGaps: Boolean(asksForGaps) && acceptsGaps }) };
    },
    onSuccess: (made) => {
      if (!made) return;
      noteBegun(made.task.id, made.folder);
      client.setQueryData(tasksQuery.queryKey, (tasks = []) => [made.task, ...tasks]);
      tellLater(made.task);
      if (prints) openPrint(made.task.id);
      onBegun?.(form);
      onClose();
    },
    onError: (error) => reportFailure(error, prints ? PRINT_FAILED : EXPORT_FAILED, { serverFirst: true }),
  });
  const submit = () => {
    if (!prints && !canSaveFiles()) return notify('error', CANNOT_SAVE);
    begin.mutate();
  };
  const verb = prints ? 'Print' : 'Export';

  return (
    <Dialog
      opened
      onClose={onClose}
      title={`${verb} ${plural(ids.length, 'message')}`}
      size={480}
      footer={
        <>
          <div className="cp-grow" />
          <Button size="md" variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button size="md" data-autofocus loading={begin.isPending} onClick={submit}>
            {verb}
          </Button>
        </>
      }
    >
      <Stack gap="lg">
        {!prints && (
          <Radio.Group
            label="Documents"
            value={form}
            onChange={(value) => (value === 'StructuredExport' && lacksStructured ? askForUpgrade() : choose(value as ExportForm))}
          >
            <Stack gap="xs" mt="xs">
              {FORMS.map((f) => (
                <Radio key={f.value} {...f} />
              ))}
            </Stack>
          </Radio.Group>
        )}
        {mayPickFolder && (
          <Radio.Group label="Save" value={target} onChange={(value) => setPlace(value as 'download' | 'folder')}>
            <Stack gap="xs" mt="xs">
              <Radio value="download" label="As one download" />
              <Radio value="folder" label="Into a folder on this computer" />
            </Stack>
          </Radio.Group>
        )}
        {isOpen && (
          <Checkbox
            label={prints ? 'File the printed messages' : 'File the exported messages'}
            description={processes && needsAll ? 'Messages with no patient or document type are exported too and stay open.' : undefined}
            checked={processes}
            onChange={(e) => setProcesses(e.currentTarget.checked)}
          />
        )}
        {asksForGaps && (
          <Checkbox
            label="File messages with no patient or type, too"
            description="Otherwise they are exported, and stay open."
            checked={acceptsGaps}
            onChange={(e) => setAcceptsGaps(e.currentTarget.checked)}
          />
        )}
      </Stack>
    </Dialog>
  );
}
