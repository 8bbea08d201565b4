import { type FormEvent, type KeyboardEvent, type ReactNode, useRef } from 'react';
import { isSubmitKey, submitForm, useOwnDialog } from '../ui/useEscape';

/** Dates and tags are taken on blur, and the footer buttons of a dialog do not take the focus. */
function takeFieldInFocus(form: HTMLFormElement) {
  const field = document.activeElement;
  if (!(field instanceof HTMLInputElement) || !form.contains(field)) return;
  if (!field.closest('.cp-dateinput, .mantine-TagsInput-root')) return;
  field.blur();
  field.focus();
}

/**
 * A form without the browser's own checks. Ctrl+Enter submits it from anywhere in it, and in a dialog from anywhere while
 * that is the topmost.
 */
export function Form({
  onSubmit,
  id,
  className,
  children,
}: {
  onSubmit: (e: FormEvent<HTMLFormElement>) => void;
  id?: string;
  className?: string;
  children: ReactNode;
}) {
  const form = useRef<HTMLFormElement>(null);
  const isInDialog = useOwnDialog(form);
  const submitByKey = (e: KeyboardEvent<HTMLFormElement>) => {
    if (!isSubmitKey(e)) return;
    // A select would open.
    e.preventDefault();
    e.stopPropagation();
    submitForm(e.currentTarget);
  };
  return (
    <form
      ref={form}
      noValidate
      id={id}
      className={className}
      onSubmit={(e) => {
        takeFieldInFocus(e.currentTarget);
        onSubmit(e);
      }}
      onKeyDownCapture={isInDialog ? undefined : submitByKey}
    >
      {children}
    </form>
  );
}
