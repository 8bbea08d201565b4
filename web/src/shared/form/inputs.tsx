import {
  MaskInput,
  type MaskInputProps,
  MultiSelect,
  type MultiSelectProps,
  PasswordInput,
  Select,
  type SelectProps,
  TagsInput,
  type TagsInputProps,
  TextInput,
  type TextInputProps,
} from '@mantine/core';
import { useUncontrolled } from '@mantine/hooks';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useReducer, useRef, useState } from 'react';
import { formatPhone } from '../format';
import { checkNpi, cleanTags, digitsOnly, isForeignPhone, stripFax } from '../rules/fields';
import { useDebounced } from '../debounce';

type Masked = Omit<MaskInputProps, 'mask' | 'onChange' | 'onChangeRaw'> & { onChange?: (value: string) => void };
const masked = (mask: string, placeholder: string) =>
  function MaskedInput({ onChange, ...rest }: Masked) {
    const input = useRef<HTMLInputElement>(null);
    const invalid = Boolean(rest.error);
    // Mantine's mask removes the attribute that other fields have, so it is restored each time.
    useEffect(() => {
      if (invalid) input.current?.setAttribute('aria-invalid', 'true');
    });
    return (
      <MaskInput
        ref={input}
        mask={mask}
        slotChar=""
        showMaskOnFocus={false}
        inputMode="numeric"
        placeholder={placeholder}
        onChangeRaw={(_raw, shown) => onChange?.(shown)}
        {...rest}
      />
    );
  };

const PhoneMask = masked('(999) 999-9999', '(___) ___-____');
type PhoneProps = Omit<Masked, 'value'> & { value?: string | null };

/** Shows and returns (xxx) xxx-xxxx. A number that does not fit (from another country) is left as typed. */
export function PhoneInput({ value, onChange, ...rest }: PhoneProps) {
  const digits = (value ?? '').replace(/\D/g, '');
  const national = digits.length === 11 && digits.startsWith('1') ? digits.slice(1) : digits;
  if (national.length > 10 || isForeignPhone(value ?? '')) {
    return (
      <TextInput {...(rest as TextInputProps)} inputMode="tel" value={value ?? ''} onChange={(e) => onChange?.(e.currentTarget.value)} />
    );
  }
  const shown = value === undefined ? {} : { value: formatPhone(national) || (value ?? '') };
  return <PhoneMask {...rest} {...shown} onChange={onChange} />;
}
export const ZipInput = masked('99999', '00000');

type ListChoice = string | { value: string; label: string };
type ListSelectProps = Omit<SelectProps, 'data' | 'value' | 'defaultValue' | 'onChange'> & {
  data: ListChoice[];
  value?: string | null;
  onChange?: (value: string | null) => void;
  /** Called with the input, if the choices depend on it. */
  onSearch?: (text: string) => void;
};

/** A choice from a list only: Enter or Tab takes the first match, an empty field resets it. */
export function ListSelect({ data, value: given, onChange, onSearch, onKeyDown, onFocus, onBlur, ...rest }: ListSelectProps) {
  const typed = useRef(false);
  const [value, setValue] = useUncontrolled<string | null>({ value: given, defaultValue: null, finalValue: null, onChange });
  const choices = data.map((d) => (typeof d === 'string' ? { value: d, label: d } : d));
  const [search, setSearch] = useState(() => choices.find((c) => c.value === value)?.label ?? '');
  const [isOpen, setOpen] = useState(false);
  const [, noteList] = useReducer((times: number) => times + 1, 0);
  /** Whether there was a match. */
  const takeFirst = () => {
    const typed = search.trim().toLowerCase();
    const shown = choices.find((c) => c.value === value)?.label.toLowerCase();
    const first = typed && typed !== shown ? choices.find((c) => c.label.toLowerCase().includes(typed)) : undefined;
    if (first) setValue(first.value);
    return Boolean(first);
  };
  return (
    <Select
      searchable
      clearable
      autoSelectOnBlur={false}
      openOnFocus={false}
      nothingFoundMessage="No match"
      selectFirstOptionOnChange
      dropdownOpened={isOpen}
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={() => setOpen(false)}
      // The list gets its id when it opens; without another render the field would refer to none, or to another's.
      comboboxProps={{ onEnterTransitionEnd: () => requestAnimationFrame(noteList) }}
      {...rest}
      data={choices}
      value={value}
      onChange={(v) => setValue(v)}
      searchValue={search}
      onSearchChange={(text) => {
        setSearch(text);
        onSearch?.(text);
      }}
      onFocus={(e) => {
        typed.current = false;
        onFocus?.(e);
      }}
      onInput={() => {
        typed.current = true;
      }}
      onBlur={(e) => {
        // Reset only if the user cleared the text; it is also empty while the choices are loading.
        if (typed.current && search.trim() === '' && value !== null) setValue(null);
        onBlur?.(e);
      }}
      onKeyDown={(e) => {
        // An option highlighted with the arrow keys is chosen by the list itself.
        const isAtOne = e.currentTarget.hasAttribute('aria-activedescendant');
        if (e.key === 'Tab') takeFirst();
        if (e.key === 'Enter' && isOpen && !isAtOne && takeFirst()) {
          e.preventDefault();
          setOpen(false);
        }
        onKeyDown?.(e);
      }}
    />
  );
}

/** Several choices from a list only: Enter takes the first match, and never sends the form while something is typed here. */
export function ListMultiSelect({ onKeyDown, onSearchChange, ...rest }: MultiSelectProps) {
  const [search, setSearch] = useState('');
  return (
    <MultiSelect
      searchable
      clearable
      hidePickedOptions
      nothingFoundMessage="No match"
      selectFirstOptionOnChange
      {...rest}
      searchValue={search}
      onSearchChange={(text) => {
        setSearch(text);
        onSearchChange?.(text);
      }}
      onKeyDown={(e) => {
        onKeyDown?.(e);
        if (e.key === 'Enter' && search.trim()) e.preventDefault();
      }}
    />
  );
}

/** Free tags: trimmed, without empty entries. */
export function TagInput({ onChange, maxTags, description, ...rest }: TagsInputProps) {
  const isFull = maxTags !== undefined && (rest.value?.length ?? 0) >= maxTags;
  return (
    <TagsInput
      acceptValueOnBlur
      splitChars={[',', ';', '\n']}
      {...rest}
      maxTags={maxTags}
      description={isFull ? `You can enter at most ${maxTags}. Remove one to add another.` : description}
      onChange={(tags) => onChange?.(cleanTags(tags))}
    />
  );
}

type TagSelectProps = Omit<TagsInputProps, 'data'> & {
  /** Suggestions for the input; selected ones are left out. */
  suggest: (text: string) => Promise<{ value: string; label?: string }[]>;
  queryKey: string;
  /** Only suggestions can be chosen. */
  forceSelection?: boolean;
  /** Enter takes the first suggestion for incomplete input. */
  takesFirst?: boolean;
  /** Whether the input is complete, like an address: taken even if there are suggestions. */
  isWhole?: (text: string) => boolean;
};
const SUGGEST_DELAY_MS = 300;
const SUGGEST_LIMIT = 15;

/**
 * Tags with suggestions: after 300 ms, from one character, up to 15. Free text is taken only where it is allowed and has no
 * suggestions; if it is entered before they load, it waits for them.
 */
export function TagSelect({
  suggest,
  queryKey,
  forceSelection = false,
  takesFirst = false,
  isWhole = () => false,
  splitChars = [','],
  value = [],
  onChange,
  onBlur,
  ...rest
}: TagSelectProps) {
  const [search, setSearch] = useState('');
  const client = useQueryClient();
  const latest = useRef(value);
  useEffect(() => {
    latest.current = value;
  }, [value]);
  const words = useDebounced(search.trim(), SUGGEST_DELAY_MS);
  // The previous list stays until the next one arrives, so that it does not close and reopen with each letter.
  const {
    data = [],
    isPlaceholderData,
    isFetching,
  } = useQuery({
    queryKey: ['suggest', queryKey, words],
    queryFn: () => suggest(words),
    enabled: words.length >= 1,
    placeholderData: keepPreviousData,
  });
  const text = search.trim();
  const isOutdated = isPlaceholderData || words !== text;
  const options = words.length >= 1 ? data.filter((o) => !value.includes(o.value)).slice(0, SUGGEST_LIMIT) : [];
  const isKnown = !isOutdated && !isFetching;
  const isFree = !forceSelection && (isWhole(text) || (isKnown && options.length === 0));
  const take = (tags: string[]) => {
    const isSuggested = (tag: string) => data.some((o) => o.value === tag);
    onChange?.(
      cleanTags(tags.filter((tag) => value.includes(tag) || isSuggested(tag) || (!forceSelection && (isFree || isWhole(tag.trim()))))),
    );
  };
  /** Free text entered before its suggestions were known: taken once it turns out to have none. */
  const takeLater = async (entered: string, byEnter = false) => {
    const found = await client.fetchQuery({ queryKey: ['suggest', queryKey, entered], queryFn: () => suggest(entered) }).catch(() => []);
    const first = found.find((o) => !latest.current.includes(o.value));
    if (first && !byEnter) return;
    onChange?.(cleanTags([...latest.current, first?.value ?? entered]));
    setSearch((now) => (now.trim() === entered ? '' : now));
  };
  const onKey = (e: KeyboardEvent) => {
    const stop = () => {
      e.preventDefault();
      e.stopPropagation();
    };
    // An index in the previous list would be another option in the next.
    if (isOutdated && ['ArrowDown', 'ArrowUp'].includes(e.key)) return stop();
    const isAtOne = (e.target as HTMLElement).hasAttribute('aria-activedescendant');
    const takesIt =
      (forceSelection && (e.key === 'Enter' || e.key === 'Tab')) || (takesFirst && e.key === 'Enter' && !isWhole(text) && !isAtOne);
    if (takesIt && text && options[0] && !isOutdated) {
      e.preventDefault();
      take([...value, options[0].value]);
      setSearch('');
      return;
    }
    const isEntered = e.key === 'Enter' || splitChars.includes(e.key);
    const hasChosen = e.key === 'Enter' && !isOutdated && isAtOne;
    if (!isEntered || !text || isFree || hasChosen) return;
    stop();
    if (!isKnown && !forceSelection) void takeLater(text, takesFirst && e.key === 'Enter');
  };
  return (
    <TagsInput
      acceptValueOnBlur={isFree}
      splitChars={splitChars}
      {...rest}
      value={value}
      onChange={take}
      searchValue={search}
      onSearchChange={setSearch}
      onKeyDownCapture={onKey}
      onBlur={(e) => {
        if (text && !isKnown && !forceSelection && !isWhole(text)) void takeLater(text);
        onBlur?.(e);
      }}
      data={options.map((o) => o.value)}
      filter={({ options: all }) => all}
    />
  );
}

/** Validated on blur. */
export function NpiInput({ onChange, error, onBlur, ...rest }: Omit<TextInputProps, 'onChange'> & { onChange?: (value: string) => void }) {
  const [own, setOwn] = useState<string | null>(null);
  return (
    <TextInput
      inputMode="numeric"
      {...rest}
      error={error ?? own}
      onChange={(e) => {
        const value = digitsOnly(e.currentTarget.value, 15);
        if (own) setOwn(checkNpi(value));
        onChange?.(value);
      }}
      onBlur={(e) => {
        setOwn(checkNpi(e.currentTarget.value));
        onBlur?.(e);
      }}
    />
  );
}

const UNIQUE_DELAY_MS = 1000;
type UniqueProps = Omit<TextInputProps, 'onChange' | 'value'> & {
  value: string;
  onChange: (value: string) => void;
  /** Asks the server; true when somebody else has the value. */
  isTaken: (value: string) => Promise<boolean>;
  queryKey: string;
  check?: (value: string) => string | null;
  takenText?: string;
  freeText?: string;
};

/** A value that must not exist yet: checked 1 s after typing. */
export function UniqueInput({
  value,
  onChange,
  isTaken,
  queryKey,
  check,
  takenText = 'This value already exists.',
  freeText,
  error,
  description,
  ...rest
}: UniqueProps) {
  const settledValue = useDebounced(value.trim(), UNIQUE_DELAY_MS);
  const wrong = settledValue ? (check?.(settledValue) ?? null) : null;
  const { data: taken } = useQuery({
    queryKey: ['unique', queryKey, settledValue],
    queryFn: () => isTaken(settledValue),
    enabled: Boolean(settledValue) && !wrong && settledValue === value.trim(),
  });
  const settled = settledValue === value.trim();
  const own = settled ? (wrong ?? (taken ? takenText : null)) : null;
  const free = settled && settledValue && taken === false && !wrong ? freeText : undefined;
  return (
    <TextInput
      {...rest}
      value={value}
      onChange={(e) => onChange(e.currentTarget.value)}
      error={error ?? own}
      description={
        free ? (
          <span className="cp-plain t-success" data-loud>
            {free}
          </span>
        ) : (
          description
        )
      }
    />
  );
}

/** One fax number, or an address with an @. */
export function FaxInput({ onChange, ...rest }: Omit<TextInputProps, 'onChange'> & { onChange?: (value: string) => void }) {
  return <TextInput {...rest} onChange={(e) => onChange?.(stripFax(e.currentTarget.value))} />;
}

/** With a button that shows the text. */
export const PasswordField = PasswordInput;

type PatternProps = Omit<TextInputProps, 'onChange' | 'value' | 'pattern'> & {
  value: string;
  onChange: (value: string) => void;
  /** Whether the field may hold a text. */
  allows: (text: string) => boolean;
};
/** Ignores input that it may not hold; trimmed on blur. */
export function PatternInput({ value, onChange, allows, onBlur, ...rest }: PatternProps) {
  return (
    <TextInput
      {...rest}
      value={value}
      onChange={(e) => allows(e.currentTarget.value) && onChange(e.currentTarget.value)}
      onBlur={(e) => {
        const trimmed = e.currentTarget.value.trim();
        if (trimmed !== value) onChange(trimmed);
        onBlur?.(e);
      }}
    />
  );
}
