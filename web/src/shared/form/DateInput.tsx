import { ActionIcon, TextInput, type TextInputProps } from '@mantine/core';
import { IconCalendar } from '@tabler/icons-react';
import { type ReactNode, useRef } from 'react';
import { useDraft } from '../useDraft';
import { now } from '../clock';
import { isIsoDate, isoDate, maskDate, parseDate, showDate } from '../rules/dates';

type Props = Omit<TextInputProps, 'value' | 'defaultValue' | 'onChange' | 'rightSection'> & {
  /** `YYYY-MM-DD`, or '' for none. */
  value?: string | null;
  onChange?: (value: string) => void;
  /** Later dates stay as typed instead of moving back 100 years. */
  allowFuture?: boolean;
  /** Passes text that is no date to `onChange` unchanged, for validation to reject. Otherwise it is ignored. */
  keepInvalid?: boolean;
  /** Replaces the calendar button. */
  mark?: ReactNode;
};

/** Typed as M/D/YYYY, M/D/YY, MMDDYYYY or MMDDYY; parsed on blur and on paste. */
export function DateInput({
  value,
  onChange,
  onBlur,
  onPaste,
  allowFuture = false,
  keepInvalid = false,
  mark,
  disabled,
  readOnly,
  ...rest
}: Props) {
  const [text, setText] = useDraft(showDate(value));
  const picker = useRef<HTMLInputElement>(null);

  const read = (typed: string) => {
    const parsed = typed.trim() ? parseDate(typed, { today: now(), allowFuture }) : '';
    const next = parsed ?? (keepInvalid ? typed : (value ?? ''));
    setText(showDate(next));
    if (next !== (value ?? '')) onChange?.(next);
  };
  const calendar = (
    <ActionIcon
      size={24}
      aria-label={`Choose a date: ${typeof rest.label === 'string' ? rest.label : ''}`}
      disabled={disabled || readOnly}
      tabIndex={-1}
      onClick={() => picker.current?.showPicker()}
    >
      <IconCalendar size={16} stroke={1.6} />
    </ActionIcon>
  );
  return (
    <div className="cp-dateinput">
      <TextInput
        placeholder="MM/DD/YYYY"
        inputMode="numeric"
        autoComplete="off"
        maxLength={10}
        {...rest}
        disabled={disabled}
        readOnly={readOnly}
        value={text}
        onChange={(e) => setText(maskDate(e.currentTarget.value))}
        onPaste={(e) => {
          onPaste?.(e);
          const pasted = e.clipboardData.getData('text');
          e.preventDefault();
          read(pasted);
        }}
        onBlur={(e) => {
          read(text);
          onBlur?.(e);
        }}
        rightSectionWidth={28}
        rightSection={mark ?? calendar}
      />
      {/* The browser's own calendar; the field above is the one to type in. */}
      <input
        ref={picker}
        type="date"
        className="cp-datepicker"
        tabIndex={-1}
        aria-hidden
        max={allowFuture ? undefined : isoDate(now())}
        value={value && isIsoDate(value) ? value : ''}
        onChange={(e) => onChange?.(e.currentTarget.value)}
      />
    </div>
  );
}
