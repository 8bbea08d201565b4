import { Button, CloseButton, FileButton, Radio, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconUpload } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import type { AttachmentMeta } from '@/api/types';
import { useTypeNames } from '@/domain/charts/useTypeNames';
import { documentTypesQuery } from '@/domain/messaging/api';
import { CONFIDENTIALITY } from '@/domain/messaging/rules';
import { now } from '@/shared/clock';
import { wordsOf } from '@/shared/errors';
import { formatSize } from '@/shared/format';
import { DateInput } from '@/shared/form/DateInput';
import { Form } from '@/shared/form/Form';
import { ListSelect } from '@/shared/form/inputs';
import { Select } from '@/shared/form/Select';
import { isoDate } from '@/shared/rules/dates';
import { DESCRIPTION_MAX } from '@/shared/rules/fields';
import { Notice } from '@/shared/ui/blocks';
import { Dialog } from '@/shared/ui/Dialog';
import { acceptOf } from './AttachmentList';
import {
  type AttachErrors,
  type AttachValues,
  attachErrors,
  confidentialityIn,
  type DateChoice,
  fileErrors,
  looksStructured,
  UPLOAD_TEXTS,
} from './rules';

const DATE_CHOICES: { value: DateChoice; label: string }[] = [
  { value: 'message', label: 'Original File Date' },
  { value: 'today', label: "Today's Date" },
  { value: 'selected', label: 'Select a Date' },
];

export const metaOf = (v: AttachValues): AttachmentMeta => ({
  documentType: v.documentType || null,
  documentDate: v.date,
  documentDateType: v.dateType,
  confidentiality: v.confidentiality || null,
  documentDescription: v.notes.trim() || null,
});

/** The head of a C-CDA document is enough to find its confidentiality. */
const HEAD_BYTES = 64 * 1024;
/** An unreadable file is reported by its upload. */
const headOf = (file: File) =>
  file
    .slice(0, HEAD_BYTES)
    .text()
    .catch(() => '');
const readConfidentiality = async (file: File) => confidentialityIn(await headOf(file));

type FieldsProps = {
  values: AttachValues;
  onChange: (values: AttachValues) => void;
  errors: AttachErrors;
  /** The date the document brings along, for Original File Date. */
  ownDate: string;
  structured: boolean;
};

export function AttachmentFields({ values, onChange, errors, ownDate, structured }: FieldsProps) {
  const types = useQuery(documentTypesQuery);
  const names = useTypeNames(types.data?.map((t) => t.name));
  const date = useRef<HTMLInputElement>(null);
  const set = (part: Partial<AttachValues>) => onChange({ ...values, ...part });
  const chooseDate = (dateType: DateChoice) => {
    set({ dateType, date: dateType === 'today' ? isoDate(now()) : dateType === 'message' ? ownDate : '' });
    if (dateType === 'selected') requestAnimationFrame(() => date.current?.focus());
  };
  return (
    <>
      {types.error && <Notice kind="error">DocumentTypes - {wordsOf(types.error)}</Notice>}
      <div className="cp-grid2 rel-attach-grid">
        <ListSelect
          size="md"
          label="Document type"
          data={names}
          value={values.documentType || null}
          onChange={(v) => set({ documentType: v ?? '' })}
        />
        <Select
          size="md"
          label="Confidentiality"
          description={structured ? 'Read from the document' : undefined}
          required={!structured}
          disabled={structured}
          allowDeselect={false}
          data={CONFIDENTIALITY}
          value={values.confidentiality || null}
          onChange={(v) => set({ confidentiality: v ?? '' })}
          error={errors.confidentiality}
        />
      </div>
      <Radio.Group label="Document date" required value={values.dateType} onChange={(v) => chooseDate(v as DateChoice)}>
        <div className="rel-dates">
          {DATE_CHOICES.map((c) => (
            <Radio key={c.value} size="xs" value={c.value} label={c.label} />
          ))}
        </div>
      </Radio.Group>
      <DateInput
        ref={date}
        size="md"
        aria-label="Document date"
        className="rel-date"
        allowFuture
        keepInvalid
        readOnly={values.dateType !== 'selected'}
        value={values.date}
        onChange={(v) => set({ date: v })}
        error={errors.date}
      />
      <Textarea
        size="md"
        label="Notes"
        rows={3}
        maxLength={DESCRIPTION_MAX}
        value={values.notes}
        onChange={(e) => set({ notes: e.currentTarget.value })}
        description={
          <span className="cp-num" aria-live="polite">
            Characters remaining: {DESCRIPTION_MAX - values.notes.length}
          </span>
        }
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        error={errors.notes}
      />
    </>
  );
}

type AttachProps = {
  /** Files that were dropped or chosen already. */
  initial: File[];
  extensions: string[];
  attachedBytes: number;
  onClose: () => void;
  onAttach: (files: { file: File; meta: AttachmentMeta }[]) => void;
};

const dateOf = (file: File | undefined) => isoDate(file ? new Date(file.lastModified) : now());

/** Default metadata of files attached without the dialog. */
export const plainMeta = async (file: File): Promise<AttachmentMeta> => ({
  documentType: null,
  documentDate: dateOf(file),
  documentDateType: 'message',
  confidentiality: looksStructured(file.name) ? await readConfidentiality(file) : 'Normal',
  documentDescription: null,
});

/** Asks for the metadata of new files before their upload. It applies to all files chosen together. */
export function AttachDialog({ initial, extensions, attachedBytes, onClose, onAttach }: AttachProps) {
  const [files, setFiles] = useState(initial);
  const [values, setValues] = useState<AttachValues>(() => ({
    documentType: '',
    confidentiality: 'Normal',
    dateType: 'message',
    date: dateOf(initial[0]),
    notes: '',
  }));
  const [errors, setErrors] = useState<AttachErrors>({});
  const [missing, setMissing] = useState(false);
  const [reading, setReading] = useState(false);

  const problems = fileErrors(files, extensions, attachedBytes);
  const choose = (chosen: File[]) => {
    setFiles(chosen);
    setMissing(false);
    if (values.dateType === 'message') setValues({ ...values, date: dateOf(chosen[0]) });
  };
  const attach = async () => {
    setMissing(files.length === 0);
    const found = attachErrors(
      values,
      files.map((f) => f.name),
      now(),
    );
    setErrors(found);
    if (files.length === 0 || problems.some(Boolean) || Object.keys(found).length) return;
    setReading(true);
    const meta = metaOf(values);
    onAttach(
      await Promise.all(
        files.map(async (file) => ({
          file,
          meta: {
            ...meta,
            documentDate: values.dateType === 'message' ? dateOf(file) : meta.documentDate,
            ...(looksStructured(file.name) ? { confidentiality: await readConfidentiality(file) } : {}),
          },
        })),
      ),
    );
  };
  const title = files.length > 1 ? `Attach ${files.length} new files` : 'Attach a new file';
  return (
    <Dialog
      opened
      onClose={onClose}
      title={title}
      size={560}
      footer={
        <>
          <div className="cp-grow" />
          <Button size="md" variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button size="md" type="submit" form="attach" loading={reading}>
            Attach
          </Button>
        </>
      }
    >
      <Form
        id="attach"
        className="rel-form"
        onSubmit={(e) => {
          e.preventDefault();
          void attach();
        }}
      >
        <div>
          <div className="cp-row">
            <FileButton multiple onChange={choose} accept={acceptOf(extensions)}>
              {(props) => (
                <Button
                  {...props}
                  data-autofocus={files.length === 0 || undefined}
                  variant="default"
                  leftSection={<IconUpload size={16} stroke={1.6} />}
                >
                  {files.length ? 'Choose other files' : 'Choose files'}
                </Button>
              )}
            </FileButton>
            {files.length === 0 && <span className="cp-muted">20 MB each</span>}
          </div>
          {missing && (
            <div className="mantine-InputWrapper-error" role="alert">
              {UPLOAD_TEXTS.none}
            </div>
          )}
          <ul className="rel-chosen">
            {files.map((file, i) => (
              <li key={`${file.name}-${String(i)}`}>
                <div className="cp-row">
                  <span className="cp-ell cp-strong">{file.name}</span>
                  <span className="cp-muted cp-num">{formatSize(file.size)}</span>
                  <span className="cp-grow" />
                  <CloseButton
                    size={22}
                    iconSize={14}
                    aria-label={`Leave out ${file.name}`}
                    onClick={() => choose(files.filter((f) => f !== file))}
                  />
                </div>
                {problems[i] && (
                  <div className="mantine-InputWrapper-error" role="alert">
                    {problems[i]}
                  </div>
                )}
              </li>
            ))}
          </ul>
        </div>
        <AttachmentFields
          values={values}
          onChange={setValues}
          errors={errors}
          ownDate={dateOf(files[0])}
          structured={files.length > 0 && files.every((f) => looksStructured(f.name))}
        />
      </Form>
    </Dialog>
  );
}
