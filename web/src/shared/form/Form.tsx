import type { FormEvent, KeyboardEvent, ReactNode } from 'react';

/** Dates and tags are taken on blur, and the footer buttons of a dialog do not take the focus. */
function takeFieldInFocus(form: HTMLFormElement) {
  const field = document.activeElement;
  if (!(field instanceof HTMLInputElement) || !form.contains(field)) return;
  if (!field.closest('.cp-dateinput, .mantine-TagsInput-root')) return;
  field.blur();
  field.focus();
}

/** A form without the browser's own checks; Ctrl+Enter submits from anywhere in it. */
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
  const submitByKey = (e: KeyboardEvent<HTMLFormElement>) => {
    if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) e.currentTarget.requestSubmit();
  };
  return (
    <form
      noValidate
      id={id}
      className={className}
      onSubmit={(e) => {
        takeFieldInFocus(e.currentTarget);
        onSubmit(e);
      }}
      onKeyDown={submitByKey}
    >
      {children}
    </form>
  );
}
