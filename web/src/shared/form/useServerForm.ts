import { type FormErrors, type FormValidateInput, useForm } from '@mantine/form';
import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { ApiError } from '@/api/client';
import { reportError, reportFailure } from '../errors';
import { DEFAULT_FIELD_ERROR } from '../rules/fields';
import { readJson, sessionStore } from '../storage';
import { afterClick } from './afterClick';
import type { Version } from './conflict';

type Options<V> = {
  initialValues: V;
  validate?: FormValidateInput<V>;
  /**
   * Saves. Thrown errors are shown: field errors under their fields, the rest as `formErrors` or a toast. `false` means that
   * nothing was saved and the person was told why; the input is still kept.
   */
  submit: (values: V) => Promise<unknown>;
  /** Shown when saving fails and the server gives no reason. */
  failed?: string;
  /**
   * Keeps the input in this tab under this name, so that a reload or a new sign-in does not lose it: a name from `ownName`. Never
   * for patient data.
   */
  keepAs?: string;
  /** Values that are not kept, such as secrets. */
  omits?: readonly (keyof V)[];
  /** The version that the values are based on; kept values may be based on an older one. */
  base?: { version: Version | undefined; setVersion: (version: Version | undefined) => void };
};

const keptAt = (name: string) => `form.${name}`;
/** Discards the kept values of a form that was abandoned. */
export const forgetKept = (name: string) => sessionStore.set(keptAt(name), null);

type Kept<V> = { values: Partial<V>; version?: Version };

/** Server names (`Email`, `Address.ZipCode`) as form paths (`email`, `address.zipCode`). */
const fieldPath = (key: string) =>
  key
    .split('.')
    .map((p) => p.charAt(0).toLowerCase() + p.slice(1))
    .join('.');

/** Splits the server's field errors into those the form shows and the rest. */
export function splitModelState(modelState: Record<string, string[]>, isField: (path: string) => boolean) {
  const fields: FormErrors = {};
  const rest: string[] = [];
  for (const [key, texts] of Object.entries(modelState)) {
    const path = fieldPath(key);
    if (isField(path)) fields[path] = texts.join(' ') || DEFAULT_FIELD_ERROR;
    else rest.push(...(texts.length ? texts : [DEFAULT_FIELD_ERROR]));
  }
  return { fields, rest };
}

const valueAt = (values: unknown, path: string) =>
  path.split('.').reduce<unknown>((v, k) => (v as Record<string, unknown> | undefined)?.[k], values);

/** A form that validates on blur and on submit, submits once, and shows the server's errors at their fields. */
export function useServerForm<V extends Record<string, unknown>>({
  initialValues,
  validate,
  submit,
  failed,
  keepAs,
  omits = [],
  base,
}: Options<V>) {
  const [busy, setBusy] = useState(false);
  const [formErrors, setFormErrors] = useState<string[]>([]);
  const [refused, setRefused] = useState<FormErrors>({});
  // Named, or the focus could go to a field of the same name in another form of the page.
  const form = useForm<V>({
    name: useId().replace(/[^a-z0-9]/gi, '-'),
    mode: 'controlled',
    initialValues,
    validate,
    validateInputOnBlur: true,
    // The server's error stays until the value changes. No error comes or goes under a click.
    enhanceGetInputProps: ({ inputProps, field }) => {
      if (inputProps.error && inputProps.error === refused[String(field)]) return { onBlur: undefined };
      const { onBlur } = inputProps;
      return onBlur && { onBlur: (...given: unknown[]) => afterClick(() => onBlur(...given)) };
    },
  });

  // Restores once; the form object changes with every render.
  const restored = useRef(false);
  useEffect(() => {
    if (restored.current || !keepAs) return;
    restored.current = true;
    const kept = readJson<Kept<V>>(sessionStore, keptAt(keepAs));
    if (!kept?.values) return;
    form.setValues(kept.values);
    base?.setVersion(kept.version);
  });
  useEffect(() => {
    const values = Object.fromEntries(Object.entries(form.values).filter(([name]) => !omits.includes(name))) as Partial<V>;
    const kept: Kept<V> = { values, version: base?.version };
    if (keepAs && form.isDirty()) sessionStore.set(keptAt(keepAs), JSON.stringify(kept));
  });
  // Values that still differ would be kept again by the next render.
  const forget = () => {
    form.resetDirty();
    if (keepAs) forgetKept(keepAs);
  };

  const focusFirst = (errors: FormErrors) => {
    // In page order, not that of the error object.
    const nodes = Object.keys(errors)
      .map((path) => form.getInputNode(path))
      .filter((n): n is HTMLElement => n !== null)
      .sort((a, b) => (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));
    requestAnimationFrame(() => {
      nodes[0]?.focus();
      // The focused field may be out of view.
      nodes[0]?.scrollIntoView?.({ block: 'nearest' });
    });
  };

  const send = async (values: V) => {
    if (busy) return;
    setBusy(true);
    setFormErrors([]);
    try {
      if ((await submit(values)) !== false) forget();
    } catch (error) {
      const state = error instanceof ApiError ? error.modelState : {};
      if (Object.keys(state).length === 0) return failed ? reportFailure(error, failed, { serverFirst: true }) : reportError(error);
      const { fields, rest } = splitModelState(state, (path) => valueAt(values, path) !== undefined);
      setRefused(fields);
      form.setErrors(fields);
      setFormErrors(rest);
      focusFirst(fields);
    } finally {
      setBusy(false);
    }
  };
  const onSubmit: (e?: FormEvent<HTMLFormElement>) => void = form.onSubmit(
    (values) => void send(values),
    (errors) => focusFirst(errors),
  );
  return { form, busy, formErrors, onSubmit, forget };
}
