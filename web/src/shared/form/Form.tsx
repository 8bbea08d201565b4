import type { FormEvent, KeyboardEvent, ReactNode } from 'react';

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
    <form noValidate id={id} className={className} onSubmit={onSubmit} onKeyDown={submitByKey}>
      {children}
    </form>
  );
}
