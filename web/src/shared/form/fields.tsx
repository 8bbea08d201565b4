import { Checkbox, NumberInput, PasswordInput, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Limit, Limits } from '@/api/limits';
import { formatCount } from '../format';
import { WithHelp } from '../ui/HelpTip';
import { DEFAULT_FIELD_ERROR, isEditableName } from '../rules/fields';
import { limitError } from '../rules/limits';
import classes from './fields.module.css';
import { ListMultiSelect, PatternInput, TagInput } from './inputs';
import { useServerForm } from './useServerForm';
import { Select } from './Select';

/** The props of a control: label, hint, and the binding to the form. */
export type ControlProps = {
  size: string;
  label: string;
  description?: ReactNode;
  required?: boolean;
  autoFocus?: boolean;
  'data-autofocus'?: boolean;
};

// oxlint-disable-next-line typescript/no-explicit-any -- their values depend on the table of the field.
type Values = Record<string, any>;

type Options<V> = {
  /** A hint under the label. */
  description?: ReactNode;
  /** The value in a new record. */
  initial?: V;
  /** A check that the API description cannot express. */
  check?: (value: V, values: Values) => string | null;
  /** Shown and checked only then. */
  when?: (values: Values, isNew: boolean) => boolean;
  /** Required although the API description does not say so: the error message. */
  required?: boolean | string;
  /** Shares its line with the next field of half width. */
  half?: boolean;
  /** Explanation of the label, behind a mark beside it. */
  help?: string;
};

/** One field of a form: defines the control, the checks, and the text for version conflicts. */
export type Field<V> = Omit<Options<V>, 'check' | 'initial'> & {
  label: string;
  initial: V;
  // Methods, so that a table may hold fields of any type.
  check?(value: V, values: Values): string | null;
  /** The value as shown in a sentence. */
  show(value: V): string;
  /** `bound` is the result of `form.getInputProps`. */
  control(props: ControlProps, bound: object, limit: Limit | undefined): ReactNode;
  /** Checkboxes are bound by `checked`. */
  isCheckbox?: boolean;
};

/** The fields of a form in page order, by their names in the API. */
export type FieldTable = Readonly<Record<string, Field<unknown>>>;
export type ValuesOf<F extends FieldTable> = { [K in keyof F]: F[K]['initial'] };

const quoted = (text: string) => (text ? `“${text}”` : 'empty');
const optionsOf = <V,>({ description, check, when, required, half, help }: Options<V>) => ({
  description,
  check,
  when,
  required,
  half,
  help,
});

type TextOptions = Options<string> & { placeholder?: string /** Rows of a text of several lines. */; rows?: number };
export const textField = (label: string, { rows, placeholder, ...options }: TextOptions = {}): Field<string> => ({
  ...optionsOf(options),
  label,
  initial: options.initial ?? '',
  show: quoted,
  control: (props, bound, limit) =>
    rows ? (
      <Textarea autosize minRows={rows} maxLength={limit?.maxLength} placeholder={placeholder} {...props} {...bound} />
    ) : (
      <TextInput autoComplete="off" maxLength={limit?.maxLength} placeholder={placeholder} {...props} {...bound} />
    ),
});

/** A name that other programs read too: only characters that they accept can be typed. */
export const identifierField = (label: string, options: Options<string> = {}): Field<string> => ({
  ...textField(label, options),
  control: (props, bound, limit) => (
    <PatternInput
      autoComplete="off"
      maxLength={limit?.maxLength}
      allows={isEditableName}
      {...props}
      {...(bound as { value: string; onChange: (value: string) => void })}
    />
  ),
});

/** A new password. Its dialog should be `isSecret`. */
export const passwordField = (label: string, options: Options<string> = {}): Field<string> => ({
  ...optionsOf(options),
  label,
  initial: '',
  show: (value) => (value ? 'another one' : 'empty'),
  control: (props, bound, limit) => <PasswordInput autoComplete="new-password" maxLength={limit?.maxLength} {...props} {...bound} />,
});

export const numberField = (label: string, options: Options<number | null> = {}): Field<number | null> => ({
  ...optionsOf(options),
  label,
  initial: options.initial ?? null,
  show: (value) => (value === null ? 'empty' : formatCount(value)),
  control: (props, bound) => {
    const { onChange, ...rest } = bound as { onChange: (value: number | null) => void };
    return (
      <NumberInput allowDecimal={false} {...props} {...rest} onChange={(value) => onChange(typeof value === 'number' ? value : null)} />
    );
  },
});

export const checkboxField = (label: string, options: Options<boolean> = {}): Field<boolean> => ({
  ...optionsOf(options),
  label,
  initial: options.initial ?? false,
  isCheckbox: true,
  show: (value) => (value ? 'on' : 'off'),
  control: (props, bound) => <Checkbox {...props} size="sm" {...bound} />,
});

type Choice<V extends string> = { value: V; label: string /** Stays where it was chosen, but is not offered. */; retired?: boolean };
/** One of a few choices. */
export const choiceField = <V extends string>(
  label: string,
  choices: readonly Choice<V>[],
  options: Options<V | null> = {},
): Field<V | null> => ({
  ...optionsOf(options),
  label,
  initial: options.initial ?? null,
  show: (value) => quoted(choices.find((c) => c.value === value)?.label ?? value ?? ''),
  control: (props, bound) => {
    const { value } = bound as { value: V | null };
    const offered = choices
      .filter((c) => !c.retired || c.value === value)
      .map(({ value: v, label: text }) => ({ value: v as string, label: text }));
    return <Select data={offered} {...props} {...bound} />;
  },
});

/** Several of a few choices. */
export const choicesField = <V extends string>(label: string, choices: readonly Choice<V>[], options: Options<V[]> = {}): Field<V[]> => ({
  ...optionsOf(options),
  label,
  initial: options.initial ?? [],
  show: (value) => quoted(value.map((v) => choices.find((c) => c.value === v)?.label ?? v).join(', ')),
  control: (props, bound) => {
    const { value } = bound as { value: V[] };
    const offered = choices
      .filter((c) => !c.retired || value.includes(c.value))
      .map(({ value: v, label: text }) => ({ value: v as string, label: text }));
    return <ListMultiSelect data={offered} {...props} {...bound} />;
  },
});

/** Several short texts. */
export const tagsField = (label: string, options: Options<string[]> & { readOnly?: boolean; max?: number } = {}): Field<string[]> => ({
  ...optionsOf(options),
  label,
  initial: options.initial ?? [],
  show: (value) => quoted(value.join(', ')),
  control: (props, bound) => <TagInput readOnly={options.readOnly} maxTags={options.max} {...props} {...bound} />,
});

const isBlank = (value: unknown) => value === null || (typeof value === 'string' && !value.trim());

const requiredError = ({ required }: Field<unknown>, value: unknown) =>
  required && isBlank(value) ? (typeof required === 'string' ? required : DEFAULT_FIELD_ERROR) : null;

/** The error of a field: first the rules of the API, then the field's own check. */
const errorOf = (field: Field<unknown>, limit: Limits[string] | undefined, value: unknown, values: Values) =>
  requiredError(field, value) ?? limitError(limit, value) ?? (isBlank(value) ? null : (field.check?.(value, values) ?? null));

export function checksOf<F extends FieldTable>(fields: F, limits: Limits = {}, isNew = true) {
  const check =
    (name: string, field: Field<unknown>) =>
    (value: unknown, values: Values = {}) =>
      field.when && !field.when(values, isNew) ? null : errorOf(field, limits[name], value, values);
  const entries = Object.entries(fields).map(([name, field]) => [name, check(name, field)]);
  return Object.fromEntries(entries) as { [K in keyof F]: (value: unknown, values?: Values) => string | null };
}

const initialOf = <F extends FieldTable>(fields: F) =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.initial])) as ValuesOf<F>;

/** The values of a saved record, with those of a new one for missing members. */
export const valuesOf = <F extends FieldTable>(fields: F, saved: object) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, (saved as Record<string, unknown>)[name] ?? field.initial]),
  ) as ValuesOf<F>;

const trimmed = <V extends object>(values: V) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? value.trim() : value])) as V;

type FormOptions<F extends FieldTable> = Omit<Parameters<typeof useServerForm<ValuesOf<F>>>[0], 'validate' | 'initialValues'> & {
  fields: F;
  limits?: Limits;
  initialValues?: ValuesOf<F>;
  isNew?: boolean;
};

/** `useServerForm` for a table of fields. Texts are sent trimmed. */
export function useFieldForm<F extends FieldTable>({ fields, limits, initialValues, isNew, submit, ...rest }: FormOptions<F>) {
  return useServerForm<ValuesOf<F>>({
    ...rest,
    initialValues: initialValues ?? initialOf(fields),
    validate: checksOf(fields, limits, isNew) as never,
    submit: (values) => submit(trimmed(values)),
  });
}

type FieldsProps<F extends FieldTable> = {
  of: F;
  limits?: Limits;
  form: ReturnType<typeof useFieldForm<F>>['form'];
  /** The first field gets the focus when its dialog opens. */
  autoFocus?: boolean;
  isNew?: boolean;
};

/** The controls of a table of fields. */
export function Fields<F extends FieldTable>({ of: fields, limits = {}, form, autoFocus, isNew = true }: FieldsProps<F>) {
  const shown = Object.entries(fields).filter(([, field]) => field.when?.(form.values, isNew) ?? true);
  return (
    <div className={classes.fields}>
      {shown.map(([name, field], i) => {
        const props: ControlProps = {
          size: 'md',
          label: field.label,
          description: field.description,
          required: Boolean(field.required) || limits[name]?.required,
          autoFocus: autoFocus && i === 0,
          'data-autofocus': (autoFocus && i === 0) || undefined,
        };
        const bound = form.getInputProps(name, { type: field.isCheckbox ? 'checkbox' : 'input' });
        const control = field.control(props, bound, limits[name]);
        return (
          <div key={name} className={field.half ? classes.half : undefined}>
            {field.help ? <WithHelp text={field.help}>{control}</WithHelp> : control}
          </div>
        );
      })}
    </div>
  );
}
