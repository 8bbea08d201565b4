import { Button } from '@mantine/core';
import type { Limits } from '@/api/limits';
import { Fields, type FieldTable, useFieldForm, valuesOf, type ValuesOf } from '@/shared/form/fields';
import { Form } from '@/shared/form/Form';
import { changedFields, useConflict } from '@/shared/form/conflict';
import { notify } from '@/shared/notify';
import { NoticeList } from '@/shared/ui/blocks';
import { LeaveGuard } from '@/shared/ui/LeaveGuard';

type Props<S extends { version?: number }, F extends FieldTable> = {
  title: string;
  /** Below the heading. */
  text: string;
  /** Noun of the saved object, as in a sentence: `set of document settings`. */
  what: string;
  fields: F;
  limits?: Limits;
  saved: S;
  latest: () => Promise<S>;
  /** Saves the values of the fields over the record that they were changed in. */
  save: (values: ValuesOf<F>, version: number | undefined, record: S) => Promise<S>;
  done: string;
  failed: string;
};

/** One section of an organization's settings, saved separately. */
export function SettingsForm<S extends { version?: number }, F extends FieldTable>(props: Props<S, F>) {
  const { title, text, fields, limits, saved } = props;
  const { form, busy, formErrors, onSubmit } = useFieldForm({
    fields,
    limits,
    initialValues: valuesOf(fields, saved),
    failed: props.failed,
    submit: async (values) => {
      const isSaved = await conflict.save(async (version) => {
        const now = await props.save(values, version as number | undefined, conflict.record ?? saved);
        form.setInitialValues(valuesOf(fields, now) as never);
        form.setValues(valuesOf(fields, now) as never);
        return now;
      });
      if (isSaved) notify('success', props.done);
      return isSaved;
    },
  });
  const conflict = useConflict<S>({
    saved,
    latest: props.latest,
    what: props.what,
    changes: changedFields<S>(Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.label])) as never),
    button: 'Save Changes',
    onLoad: (theirs) => form.setValues(valuesOf(fields, theirs) as never),
  });
  return (
    <Form onSubmit={onSubmit} className="adm-section">
      <div>
        <h2>{title}</h2>
        <p className="cp-muted">{text}</p>
      </div>
      <div className="adm-form">
        <LeaveGuard isDirty={() => form.isDirty()} subject={title} />
        {conflict.banner}
        <NoticeList kind="error" messages={formErrors} />
        <Fields of={fields} limits={limits} form={form} />
        <div>
          <Button type="submit" loading={busy} disabled={!form.isDirty()}>
            Save Changes
          </Button>
        </div>
      </div>
    </Form>
  );
}
