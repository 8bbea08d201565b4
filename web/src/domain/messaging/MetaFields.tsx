import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { AttachmentMeta, DocumentDateType } from '@/api/types';
import { now } from '@/shared/clock';
import { wordsOf } from '@/shared/errors';
import { DateInput } from '@/shared/form/DateInput';
import { ListSelect } from '@/shared/form/inputs';
import { Select } from '@/shared/form/Select';
import { notify } from '@/shared/notify';
import { DESCRIPTION_MAX } from '@/shared/rules/fields';
import { documentTypesQuery } from './api';
import { CONFIDENTIALITY, documentDateOf, type MetaErrors } from './rules';

const DATE_CHOICES: { value: DocumentDateType; label: string }[] = [
  { value: 'message', label: 'Original File Date' },
  { value: 'today', label: "Today's Date" },
  { value: 'selected', label: 'Select a Date' },
];

type Props = {
  value: AttachmentMeta;
  onChange: (change: Partial<AttachmentMeta>) => void;
  onDone?: () => void;
  errors: MetaErrors;
  messageDate?: string | null;
  disabled?: boolean;
  /** People who may not open a document cannot remove its mark either. */
  isClosed?: boolean;
  required?: boolean;
  size?: 'sm' | 'md';
};

/** The metadata of a file: type, date, confidentiality, description. */
export function MetaFields({ value, onChange, onDone, errors, messageDate, disabled, isClosed, required, size = 'sm' }: Props) {
  const types = useQuery(documentTypesQuery);
  const date = useRef<HTMLInputElement>(null);
  const failure = types.error && wordsOf(types.error);
  useEffect(() => {
    if (failure) notify('error', `DocumentTypes - ${failure}`);
  }, [failure]);
  const names = [...new Set([...(types.data ?? []).map((t) => t.name), ...(value.documentType ? [value.documentType] : [])])];
  const choose = (change: Partial<AttachmentMeta>) => {
    onChange(change);
    onDone?.();
  };
  const chooseDate = (choice: DocumentDateType | null) => {
    if (!choice) return;
    choose({ documentDateType: choice, documentDate: documentDateOf(choice, messageDate, now()) });
    if (choice === 'selected') requestAnimationFrame(() => date.current?.focus());
  };
  return (
    <div className={size === 'sm' ? 'cp-grid2 cp-dense' : 'cp-grid2 m-form'}>
      <ListSelect
        size={size}
        label="Document type"
        required={required}
        disabled={disabled}
        data-field="documentType"
        data={names}
        value={value.documentType ?? null}
        error={errors.documentType}
        onChange={(documentType) => choose({ documentType })}
      />
      <Select
        size={size}
        label="Confidentiality"
        disabled={disabled || isClosed}
        data={CONFIDENTIALITY}
        value={value.confidentiality ?? null}
        error={errors.confidentiality}
        onChange={(confidentiality) => choose({ confidentiality })}
      />
      <Select
        size={size}
        label="Date from"
        disabled={disabled}
        allowDeselect={false}
        data={DATE_CHOICES}
        value={value.documentDateType ?? null}
        onChange={chooseDate}
      />
      <DateInput
        ref={date}
        size={size}
        label="Document date"
        required={required}
        disabled={disabled}
        data-field="documentDate"
        allowFuture
        keepInvalid
        value={value.documentDate}
        error={errors.documentDate}
        onChange={(documentDate) => choose({ documentDate, documentDateType: 'selected' })}
      />
      <TextInput
        className="cp-whole"
        size={size}
        label="Description"
        placeholder="Optional"
        disabled={disabled}
        maxLength={DESCRIPTION_MAX}
        value={value.documentDescription ?? ''}
        error={errors.documentDescription}
        onChange={(e) => onChange({ documentDescription: e.currentTarget.value })}
        onBlur={onDone}
      />
    </div>
  );
}
