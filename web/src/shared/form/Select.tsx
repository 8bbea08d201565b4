import { Select as MantineSelect, type SelectProps } from '@mantine/core';
import { useUncontrolled } from '@mantine/hooks';
import { type KeyboardEvent, useRef } from 'react';

const PAUSE_MS = 800;

type Choice = { value: string; label: string };
const flat = (data: SelectProps['data'] = []): Choice[] =>
  data.flatMap((d) => {
    if (typeof d !== 'object') return { value: String(d), label: String(d) };
    if ('items' in d) return flat(d.items as SelectProps['data']);
    return d.disabled ? [] : { value: String(d.value), label: d.label ?? String(d.value) };
  });

/** The option chosen by letters typed in succession: the same letter repeated cycles through all that begin with it. */
export function choiceFor(choices: Choice[], typed: string, current: string | null): Choice | undefined {
  const text = typed.toLowerCase();
  const beginsWith = (start: string) => (c: Choice) => c.label.toLowerCase().startsWith(start);
  const whole = text.length > 1 && choices.find(beginsWith(text));
  if (whole) return whole;
  if ([...text].some((letter) => letter !== text[0])) return undefined;
  const at = choices.findIndex((c) => c.value === current);
  return [...choices.slice(at + 1), ...choices.slice(0, at + 1)].find(beginsWith(text[0]!));
}

type Props<V extends string> = Omit<SelectProps, 'value' | 'defaultValue' | 'onChange'> & {
  value?: V | null;
  defaultValue?: V | null;
  onChange?: (value: V | null) => void;
};

/**
 * A choice of few. Letters choose the one that begins so, as in a list of the browser's own. Choosing the current choice again
 * clears the field, unless it is required.
 */
export function Select<V extends string = string>({ data, value: given, defaultValue, onChange, onKeyDown, ...rest }: Props<V>) {
  const [value, setValue] = useUncontrolled<V | null>({ value: given, defaultValue, finalValue: null, onChange });
  const typed = useRef({ text: '', at: 0 });
  const typeAhead = (e: KeyboardEvent<HTMLInputElement>) => {
    onKeyDown?.(e);
    if (e.defaultPrevented || rest.searchable || rest.disabled || rest.readOnly) return;
    if (e.key.length !== 1 || e.ctrlKey || e.metaKey || e.altKey) return;
    const now = Date.now();
    const text = now - typed.current.at < PAUSE_MS ? typed.current.text + e.key : e.key;
    if (!text.trim()) return;
    typed.current = { text, at: now };
    e.preventDefault();
    const found = choiceFor(flat(data), text, value);
    if (found && found.value !== value) setValue(found.value as V);
  };
  return (
    <MantineSelect
      allowDeselect={!rest.required}
      {...rest}
      data={data}
      value={value}
      onChange={(next) => setValue(next as V | null)}
      onKeyDown={typeAhead}
    />
  );
}
