import { Button } from '@mantine/core';
import { type FormEvent, type ReactNode, useId } from 'react';
import { Form } from '../form/Form';
import { NoticeList } from './blocks';
import { Dialog } from './Dialog';

type FormDialogProps = {
  title: string;
  /** Of the button that sends the form. */
  label: string;
  busy: boolean;
  /** Errors that belong to no field. */
  formErrors: string[];
  onSubmit: (e: FormEvent<HTMLFormElement>) => void;
  onClose: () => void;
  /** The button is red. */
  danger?: boolean;
  children: ReactNode;
};

/** A dialog with a short form. What `useServerForm` gives fits its properties. */
export function FormDialog({ title, label, busy, formErrors, onSubmit, onClose, danger, children }: FormDialogProps) {
  const id = useId();
  return (
    <Dialog
      opened
      onClose={onClose}
      title={title}
      size={520}
      footer={
        <>
          <div className="cp-grow" />
          <Button size="md" variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button size="md" type="submit" form={id} loading={busy} color={danger ? 'red' : undefined}>
            {label}
          </Button>
        </>
      }
    >
      <Form id={id} className="cp-dialog-form" onSubmit={onSubmit}>
        <NoticeList kind="error" messages={formErrors} />
        {children}
      </Form>
    </Dialog>
  );
}
