import { Button } from '@mantine/core';
import { type FormEvent, type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { Form } from '../form/Form';
import { NoticeList } from './blocks';
import { Dialog } from './Dialog';

type FormDialogProps = {
  title: string;
  /** The label of the submit button. */
  label: string;
  busy: boolean;
  /** Errors that belong to no field. */
  formErrors: string[];
  onSubmit: (e: FormEvent<HTMLFormElement>) => void;
  onClose: () => void;
  /** Cannot be closed while the form is being submitted. */
  staysOpen?: boolean;
  /** The button is red. */
  danger?: boolean;
  children: ReactNode;
};

const FIELDS = 'input:not([type=hidden], :disabled), textarea:not(:disabled), select:not(:disabled)';

/** Marks the first field, unless another one is marked: the focus goes there when the dialog opens. */
function FirstField() {
  const here = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    const form = here.current?.closest('form');
    const marked = form?.querySelector('[data-autofocus]');
    if (!form || marked?.matches(FIELDS)) return;
    // Some fields put the mark around themselves, where nothing can have the focus.
    marked?.removeAttribute('data-autofocus');
    (marked?.querySelector(FIELDS) ?? form.querySelector(FIELDS))?.setAttribute('data-autofocus', 'true');
  }, []);
  return <span ref={here} hidden />;
}

/** A dialog with a short form. The result of `useServerForm` fits its props. */
export function FormDialog({ title, label, busy, formErrors, onSubmit, onClose, staysOpen, danger, children }: FormDialogProps) {
  const id = useId();
  const isHeld = staysOpen && busy;
  const close = () => !isHeld && onClose();
  return (
    <Dialog
      opened
      onClose={close}
      title={title}
      size={520}
      footer={
        <>
          <div className="cp-grow" />
          <Button size="md" variant="default" disabled={isHeld} onClick={close}>
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
        <FirstField />
      </Form>
    </Dialog>
  );
}
