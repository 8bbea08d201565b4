import { FileInput } from '@mantine/core';
import type { Field } from './fields';

const FILE_NEEDED = 'You must select a file.';

const asFile = (value: unknown) => (value instanceof File ? value : null);

type Options = {
  description: string;
  /** As the browser's dialog takes it: `.csv,.xlsx`. */
  accept: string;
  /** Error of the chosen file. */
  check: (file: File) => string | null;
};

/** A file. It is not kept over a sign-out: a restored value is no file and has to be chosen again. */
export const fileField = (label: string, { description, accept, check }: Options): Field<File | null> => ({
  label,
  description,
  required: FILE_NEEDED,
  initial: null,
  show: (value) => value?.name ?? 'none',
  check: (value) => (asFile(value) ? check(value!) : FILE_NEEDED),
  control: (props, bound) => {
    const { value, ...rest } = bound as { value: unknown };
    return <FileInput accept={accept} clearable placeholder="Choose a file" {...props} {...rest} value={asFile(value)} />;
  },
});
