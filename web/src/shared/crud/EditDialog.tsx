import { Button } from '@mantine/core';
import { useEffect, useId, useState } from 'react';
import type { Limits } from '@/api/limits';
import { Fields, type FieldTable, useFieldForm, type ValuesOf, valuesOf } from '../form/fields';
import { Form } from '../form/Form';
import { useConflict } from '../form/conflict';
import { FormLoading } from '../form/saved';
import { forgetKept } from '../form/useServerForm';
import { notify } from '../notify';
import { ownName } from '../owner';
import { ErrorState, NoticeList } from '../ui/blocks';
import { Dialog } from '../ui/Dialog';

/** A saved record. Its version shows whether somebody else has saved since. */
export type Row = { id: string; version?: number | null };

type Props<F extends FieldTable, A = unknown> = {
  /** Noun of the edited record, as in a sentence: `reserved word`. */
  noun: string;
  fields: F;
  /** From `limits.gen.ts`. */
  limits?: Limits;
  /** The record being edited; undefined for a new one. */
  saved?: Row;
  /** The record is still loading, or could not be loaded. */
  waits?: { error: unknown; retry: () => void };
  /** The title when it could not be loaded. */
  unread?: string;
  /** Initial values of a new record. */
  initial?: Partial<ValuesOf<F>>;
  /** Reads the current record from the server. */
  latest?: () => Promise<Row>;
  /** `read` is the record that the form was filled from, to detect the person's changes. */
  save: (values: ValuesOf<F>, version: number | undefined, read: Row | undefined) => Promise<A>;
  title: string;
  /** Above the fields: the name of the record, and the consequences. */
  subject?: string;
  question?: string;
  /** Labels of the buttons. */
  label?: string;
  cancelLabel?: string;
  danger?: boolean;
  /** The form has a password: nothing typed is kept in the tab. */
  isSecret?: boolean;
  /** Shown when it fails and the server gives no reason. */
  failed?: string;
  /** Shown above the fields while any of them is wrong. */
  invalid?: string;
  /** The toast afterwards. */
  done: string | ((answer: A) => string);
  onClose: () => void;
  onSaved?: (answer: A) => void;
};

/**
 * A dialog that creates or edits a record. Errors of the server are shown under their fields. When somebody else has saved
 * meanwhile, it shows their changes and lets the person load their version or overwrite it; no input is lost.
 */
export function EditDialog<F extends FieldTable, A>(props: Props<F, A>) {
  const { noun, saved, waits, title, onClose } = props;
  const id = useId();
  const [{ busy, isDirty }, setState] = useState<FormState>({ busy: false, isDirty: false });
  const keepAs = ownName(`${noun}.${saved?.id ?? 'new'}`);
  const label = props.label ?? (saved || waits ? 'Save Changes' : 'Create');
  const close = () => {
    if (busy) return;
    forgetKept(keepAs);
    onClose();
  };
  return (
    <Dialog
      opened
      onClose={close}
      title={title}
      size={520}
      staysOnOutsideClick={isDirty}
      footer={
        <>
          <div className="cp-grow" />
          <Button size="md" variant="default" disabled={busy} onClick={close}>
            {props.cancelLabel ?? 'Cancel'}
          </Button>
          <Button size="md" type="submit" form={id} loading={busy} color={props.danger ? 'red' : undefined} disabled={Boolean(waits)}>
            {label}
          </Button>
        </>
      }
    >
      {!waits && <EditForm {...props} id={id} label={label} keepAs={keepAs} onState={setState} />}
      {waits && !waits.error && <FormLoading />}
      {Boolean(waits?.error) && (
        <ErrorState title={props.unread ?? `The ${noun} could not be loaded`} error={waits!.error} onRetry={waits!.retry} />
      )}
    </Dialog>
  );
}

type FormState = { busy: boolean; isDirty: boolean };
type FormProps<F extends FieldTable, A> = Props<F, A> & { id: string; label: string; keepAs: string; onState: (state: FormState) => void };

/** The changes by somebody else, one sentence per field. */
function changesBetween<F extends FieldTable>(fields: F, before: ValuesOf<F>, now: ValuesOf<F>): string[] {
  return Object.entries(fields)
    .filter(([name]) => JSON.stringify(before[name]) !== JSON.stringify(now[name]))
    .map(([name, field]) => `${field.label}: ${field.show(before[name])} became ${field.show(now[name])}.`);
}

function EditForm<F extends FieldTable, A>(props: FormProps<F, A>) {
  const { noun, fields, limits, saved, initial, latest, save, done, label, onClose, onState } = props;
  const [read, setRead] = useState(saved);
  const conflict = useConflict<Row>({
    saved,
    latest,
    what: noun,
    changes: (before, now) => changesBetween(fields, valuesOf(fields, before ?? {}), valuesOf(fields, now)),
    button: label,
    onLoad: (theirs) => {
      setRead(theirs);
      form.setValues(valuesOf(fields, theirs) as never);
    },
  });
  const { form, busy, formErrors, onSubmit } = useFieldForm({
    fields,
    limits,
    initialValues: valuesOf(fields, saved ?? initial ?? {}),
    failed: props.failed,
    keepAs: props.isSecret ? undefined : props.keepAs,
    isNew: !saved,
    base: conflict.base,
    submit: async (values) => {
      let answer: A;
      const isSaved = await conflict.save(async (version) => {
        answer = await save(values, version, read);
      });
      if (!isSaved) return false;
      onClose();
      notify('success', typeof done === 'string' ? done : done(answer!));
      props.onSaved?.(answer!);
    },
  });
  const isDirty = form.isDirty();
  useEffect(() => onState({ busy, isDirty }), [busy, isDirty, onState]);
  return (
    <Form id={props.id} className="cp-dialog-form" onSubmit={onSubmit}>
      {props.subject && <p className="cp-subject">{props.subject}</p>}
      {props.question && <p className="cp-question">{props.question}</p>}
      {conflict.banner}
      {props.invalid && Object.keys(form.errors).length > 0 && (
        <p className="cp-strong" role="alert">
          {props.invalid}
        </p>
      )}
      <NoticeList kind="error" messages={formErrors} />
      <Fields of={fields} limits={limits} form={form} autoFocus isNew={!saved} />
    </Form>
  );
}
