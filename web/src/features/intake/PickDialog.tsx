import './picks.css';
import { Combobox, TextInput, useCombobox } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Dialog } from '@/shared/ui/Dialog';

export type Choice = {
  value: string;
  label: string /** Shown at the end of the line. */;
  hint?: string /** Offered only if a typed word is its beginning. */;
  variant?: string;
};

type Props = {
  label: string;
  placeholder?: string;
  choices: Choice[];
  /** Turns typed text into a choice. */
  typed?: (text: string) => Choice | null;
  /** Undefined while loading. */
  isLoading?: boolean;
  /** Text shown when nothing matches. */
  nothing?: string;
  /** Shown above the field, such as a failure to load. */
  notice?: ReactNode;
  onPick: (value: string) => void;
  onClose: () => void;
};

/** Whether a choice matches the typed words; a variant only if one of them is its beginning. */
export function matches({ label, variant }: Choice, words: readonly string[]): boolean {
  const inLabel = (word: string) => label.toLowerCase().includes(word);
  if (!variant) return words.every(inLabel);
  const begins = words.find((word) => word.length >= 2 && variant.toLowerCase().startsWith(word));
  return begins !== undefined && words.every((word) => word === begins || inLabel(word));
}

/** A list of choices filtered by typing; Enter takes the highlighted one. */
export function PickDialog({ title, notice, ...rest }: Props & { title: string }) {
  return (
    <Dialog opened onClose={rest.onClose} title={title} size={440}>
      {notice}
      <PickList {...rest} />
    </Dialog>
  );
}

function PickList({ label, placeholder, choices, typed, isLoading, nothing = 'Nothing matches', onPick, onClose }: Omit<Props, 'notice'>) {
  // At once, since the dialog itself moves the focus a moment later, and input until then would be lost.
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => input.current?.focus(), []);
  // The list is always open: Escape, which would close it, closes the dialog.
  const store = useCombobox({ opened: true, onDropdownClose: onClose });
  const [text, setText] = useState('');
  const words = text.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const own = typed?.(text) ?? null;
  const matching = (isLoading ? [] : choices).filter((c) => matches(c, words));
  const shown = own ? [own, ...matching] : matching;
  const key = shown.map((c) => c.value).join();
  const { selectFirstOption, resetSelectedOption } = store;
  // Nothing is highlighted without input: a bare Enter would choose the first entry.
  const isMeant = text.trim() !== '';
  useEffect(() => {
    if (key && isMeant) selectFirstOption();
    else resetSelectedOption();
  }, [key, isMeant, selectFirstOption, resetSelectedOption]);
  // Fast typists press Enter before the choices are loaded or one is highlighted.
  const entered = useRef(false);
  const first = shown[0]?.value;
  useEffect(() => {
    if (!isLoading && entered.current && first) onPick(first);
  }, [isLoading, first, onPick]);
  const onEnter = (e: KeyboardEvent) => {
    if (e.key !== 'Enter' || store.getSelectedOptionIndex() >= 0) return;
    e.preventDefault();
    if (!isMeant) return;
    if (first) onPick(first);
    else entered.current = Boolean(isLoading);
  };
  return (
    <Combobox store={store} onOptionSubmit={onPick}>
      <Combobox.EventsTarget>
        <TextInput
          ref={input}
          label={label}
          placeholder={placeholder}
          size="md"
          data-autofocus
          autoComplete="off"
          value={text}
          onChange={(e) => {
            entered.current = false;
            setText(e.currentTarget.value);
          }}
          onKeyDown={onEnter}
        />
      </Combobox.EventsTarget>
      <Combobox.Options className="int-picks" aria-label={label}>
        {shown.map((c) => (
          <Combobox.Option key={c.value} value={c.value}>
            <span className="cp-row">
              <span className="cp-grow cp-ell">{c.label}</span>
              {c.hint && <span className="cp-muted cp-num">{c.hint}</span>}
            </span>
          </Combobox.Option>
        ))}
      </Combobox.Options>
      {shown.length === 0 && <Combobox.Empty role="status">{isLoading ? 'Loading' : nothing}</Combobox.Empty>}
    </Combobox>
  );
}
