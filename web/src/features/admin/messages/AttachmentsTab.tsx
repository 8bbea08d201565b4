import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconEye } from '@tabler/icons-react';
import { useState } from 'react';
import { NamesForm } from '@/api/limits.gen';
import type { ODataAttachment, ODataConversion } from '@/api/types';
import { useServerForm } from '@/shared/form/useServerForm';
import { formatDateTime, formatSize } from '@/shared/format';
import { limitError } from '@/shared/rules/limits';
import { FormDialog } from '@/shared/ui/FormDialog';
import { NESTED_SIZE, NestedGrid } from '../runs/NestedGrid';
import { formatSpan } from '../runs/rules';
import { attachmentsQuery, conversionsQuery, namesOf } from './api';

type Names = Awaited<ReturnType<typeof namesOf>>;

/** The files of a message, each with its conversions. Their names and the subject are shown for a reason. */
export function AttachmentsTab({ messageId, number }: { messageId: string; number: number }) {
  const [page, setPage] = useState(1);
  const [names, setNames] = useState<Names>();
  const [isAsked, setAsked] = useState(false);
  const query = useQuery(attachmentsQuery(number));
  const files = query.data?.value;
  const first = (page - 1) * NESTED_SIZE;
  const nameOf = (file: ODataAttachment) => names?.files[files?.indexOf(file) ?? -1] ?? <span className="cp-muted">Hidden</span>;
  return (
    <>
      <div className="cp-row">
        <span className="cp-grow">
          {names ? <b className="cp-strong">{names.subject || 'No subject'}</b> : 'Subject and names are hidden.'}
        </span>
        {!names && (
          <Button size="xs" variant="default" leftSection={<IconEye size={14} stroke={1.6} />} onClick={() => setAsked(true)}>
            Show names
          </Button>
        )}
      </div>
      <NestedGrid
        label="Attachments"
        columns={[
          { title: 'Name', cell: nameOf },
          { title: 'Type', cell: (file) => file.MimeType },
          { title: 'Size', cell: (file) => formatSize(file.Size) },
          { title: 'Preview', cell: (file) => (file.PreviewAvailable ? 'Available' : 'Not available') },
        ]}
        query={query}
        rows={files?.slice(first, first + NESTED_SIZE)}
        total={files?.length ?? 0}
        page={page}
        onPage={setPage}
        rowId={(file) => String(file.MailAttachmentId)}
        below={(file) => <Conversions number={file.MailAttachmentId} name={nameOf(file)} />}
        empty="The message has no files."
      />
      {isAsked && <NamesDialog messageId={messageId} onShown={setNames} onClose={() => setAsked(false)} />}
    </>
  );
}

/** Conversions of a file, loaded when opened. */
function Conversions({ number, name }: { number: number; name: React.ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>Document Conversion</summary>
      {isOpen && <ConversionGrid number={number} name={name} />}
    </details>
  );
}

function ConversionGrid({ number, name }: { number: number; name: React.ReactNode }) {
  const [page, setPage] = useState(1);
  const query = useQuery(conversionsQuery(number, page));
  return (
    <NestedGrid
      label="Document Conversion"
      columns={[
        { title: 'Name', cell: () => name },
        { title: 'Extension', cell: (c: ODataConversion) => c.DocumentExtension },
        { title: 'Size', cell: (c) => formatSize(c.DocumentSize) },
        { title: 'Conversion time', cell: (c) => formatSpan(c.ProcessTime) },
        { title: 'Node', cell: (c) => c.SystemName },
        { title: 'Date', cell: (c) => formatDateTime(c.Date) },
      ]}
      query={query}
      rows={query.data?.value}
      total={query.data?.['@odata.count'] ?? 0}
      page={page}
      onPage={setPage}
      rowId={(c) => c.Date}
      empty="The file needed no conversion."
    />
  );
}

function NamesDialog({ messageId, onShown, onClose }: { messageId: string; onShown: (names: Names) => void; onClose: () => void }) {
  const { form, ...rest } = useServerForm({
    initialValues: { reason: '' },
    validate: { reason: (v) => limitError(NamesForm.reason, v) },
    submit: async ({ reason }) => {
      onShown(await namesOf(messageId, reason));
      onClose();
    },
  });
  return (
    <FormDialog title="Show names" label="Show" onClose={onClose} {...rest}>
      <TextInput
        data-autofocus
        size="md"
        label="Reason"
        description="The organization sees in its audit trail who viewed them, when and why."
        required
        maxLength={NamesForm.reason.maxLength}
        {...form.getInputProps('reason')}
      />
    </FormDialog>
  );
}
