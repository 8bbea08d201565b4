import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { Form } from '@/shared/form/Form';
import { Dialog } from '@/shared/ui/Dialog';
import { saveSeparatorSheet } from './api';

const LABEL_MAX = 80;

/** A separator sheet to print, with a label if wanted. */
export function SheetDialog({ onClose }: { onClose: () => void }) {
  const [label, setLabel] = useState('');
  const save = useMutation({ mutationFn: () => saveSeparatorSheet(label.trim()), onSuccess: onClose });
  return (
    <Dialog
      opened
      onClose={onClose}
      title="Separator sheet"
      size={480}
      footer={
        <>
          <div className="cp-grow" />
          <Button size="md" variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button size="md" type="submit" form="sheet" loading={save.isPending} leftSection={<IconDownload size={16} stroke={1.6} />}>
            Download
          </Button>
        </>
      }
    >
      <Form
        id="sheet"
        onSubmit={(e) => {
          e.preventDefault();
          save.mutate();
        }}
      >
        <p className="cp-question">
          Print it, and lay a copy in front of each document before you scan a stack. The stack is split at the sheets automatically, and
          the sheets are left out.
        </p>
        <TextInput
          size="md"
          label="Label"
          description="The name of the document after the sheet. Optional."
          data-autofocus
          maxLength={LABEL_MAX}
          value={label}
          onChange={(e) => setLabel(e.currentTarget.value)}
        />
      </Form>
    </Dialog>
  );
}
