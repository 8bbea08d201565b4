import { Button, ColorInput, FileButton, Input } from '@mantine/core';
import { useRef, useState } from 'react';
import type { ControlProps, Field } from '@/shared/form/fields';
import { checkLogo, SWATCHES } from './rules';
import classes from './brands.module.css';

/** A colour as `#RRGGBB`, or empty. */
export const colorField = (label: string, options: { description?: string; half?: boolean } = {}): Field<string> => ({
  ...options,
  label,
  initial: '',
  show: (value) => value || 'the built-in colour',
  control: (props, bound) => (
    <ColorInput
      format="hex"
      swatches={SWATCHES}
      swatchesPerRow={8}
      placeholder="#0B6570"
      eyeDropperButtonProps={{ 'aria-label': `Pick from the screen: ${label}` }}
      {...props}
      {...bound}
    />
  ),
});

type Bound = { value: string; error?: string; onChange: (value: string) => void };

function PictureInput({ label, description, value, error, onChange }: ControlProps & Bound) {
  const [refused, setRefused] = useState<string | null>(null);
  const reset = useRef<() => void>(null);
  const take = async (file: File | null) => {
    if (!file) return;
    const problem = checkLogo(file);
    setRefused(problem);
    if (!problem) onChange(await asDataUrl(file));
    reset.current?.();
  };
  return (
    <Input.Wrapper label={label} description={description} error={refused ?? error} labelElement="div">
      <div className={classes.picture}>
        {value ? <img src={value} alt="The chosen logo" /> : <span className="cp-muted">No picture</span>}
        <div className="cp-grow" />
        <FileButton
          accept="image/png,image/jpeg"
          resetRef={reset}
          onChange={(file) => void take(file)}
          inputProps={{ 'aria-label': label }}
        >
          {(props) => (
            <Button variant="default" {...props}>
              {value ? 'Replace' : 'Choose a picture'}
            </Button>
          )}
        </FileButton>
        {value && (
          <Button variant="default" onClick={() => onChange('')}>
            Remove
          </Button>
        )}
      </div>
    </Input.Wrapper>
  );
}

const asDataUrl = (file: File) =>
  new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });

/** A picture as a `data:` address, or empty. */
export const pictureField = (label: string, options: { description?: string } = {}): Field<string> => ({
  ...options,
  label,
  initial: '',
  show: (value) => (value ? 'a picture' : 'no picture'),
  control: (props, bound) => <PictureInput {...props} {...(bound as Bound)} />,
});
