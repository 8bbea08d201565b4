import { useState } from 'react';
import { PhoneInput } from '@/shared/form/inputs';
import { stripPhone } from '@/shared/rules/fields';
import { PATIENT_LABELS } from './rules';

type Props = {
  id?: string;
  size?: 'sm' | 'md';
  value: string | null | undefined;
  onChange: (value: string) => void;
  /** The field was left. */
  onDone?: () => void;
  error?: string | true;
  disabled?: boolean;
};

/** A patient's telephone number. An incomplete one shows its error on blur. */
export function PatientPhone({ value, onChange, onDone, error, ...rest }: Props) {
  const [isTyping, setTyping] = useState(false);
  return (
    <PhoneInput
      {...rest}
      label={PATIENT_LABELS.telephone}
      autoComplete="off"
      data-field="telephone"
      value={value ?? ''}
      error={!isTyping && error}
      onChange={(shown) => {
        setTyping(true);
        onChange(stripPhone(shown));
      }}
      onBlur={() => {
        setTyping(false);
        onDone?.();
      }}
    />
  );
}
