import { Button, Modal } from '@mantine/core';
import { type FocusEvent, type ReactNode, useLayoutEffect, useState } from 'react';
import { HelpTip } from './HelpTip';
import { FormsProvider, useEscape, useForms } from './useEscape';

/** The element that opened a layer; for a menu item, which is gone by then, the menu's button. */
function opener(): HTMLElement | null {
  const active = document.activeElement;
  const menu = active?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  const found = menu ? document.getElementById(menu) : active;
  return found instanceof HTMLElement ? found : null;
}

/** Mantine gives the focus back for a dialog that is closed, but not for one that is taken out of the page. */
function useFocusBack() {
  const [before] = useState(opener);
  useLayoutEffect(
    () => () => {
      setTimeout(() => {
        if (before?.isConnected && document.activeElement === document.body) before.focus({ preventScroll: true });
      });
    },
    [before],
  );
}

/** The focus goes to this mark a moment after a dialog opens. A field that is used by then keeps it. */
function keepFocus({ currentTarget, target }: FocusEvent<HTMLElement>) {
  for (const marked of currentTarget.querySelectorAll('[data-autofocus]')) marked.removeAttribute('data-autofocus');
  target.setAttribute('data-autofocus', 'true');
}

type DialogProps = {
  opened: boolean;
  onClose: () => void;
  /** The user has to choose a button: there is no close icon, and Escape does nothing. */
  locked?: boolean;
  title: string;
  /** Shown behind an information mark beside the title. */
  info?: string;
  /** Footer buttons, from left to right; a `cp-grow` element pushes the rest to the right. */
  footer?: ReactNode;
  size?: number;
  /** Opens above other dialogs, wherever it is in the page. */
  isAbove?: boolean;
  /** A click beside the dialog does not close it, so that input is not lost by accident. */
  staysOnOutsideClick?: boolean;
  /** The action of Ctrl+Enter; by default it submits the form in the dialog. */
  onSubmitKey?: () => void;
  children: ReactNode;
};

/** The one dialog: 700 px, at the top, modal. Give the first field `data-autofocus`. */
export function Dialog({
  opened,
  onClose,
  locked = false,
  title,
  info,
  footer,
  size = 700,
  isAbove,
  staysOnOutsideClick,
  onSubmitKey,
  children,
}: DialogProps) {
  const [forms, submit] = useForms();
  useFocusBack();
  useEscape(opened, () => !locked && onClose(), onSubmitKey ? () => onSubmitKey : submit);
  return (
    <Modal.Root
      opened={opened}
      onClose={onClose}
      closeOnEscape={false}
      closeOnClickOutside={!locked && !staysOnOutsideClick}
      size={size}
      yOffset={64}
      zIndex={isAbove ? 201 : undefined}
    >
      <Modal.Overlay backgroundOpacity={0.36} color="#0D1B21" />
      <Modal.Content shadow="xl" className="cp-dialog" onFocusCapture={keepFocus}>
        <Modal.Header role="none">
          <div className="cp-row">
            <Modal.Title>{title}</Modal.Title>
            {info && <HelpTip text={info} />}
          </div>
          {!locked && <Modal.CloseButton aria-label="Close" />}
        </Modal.Header>
        <Modal.Body>
          <div className="cp-modal-main">
            <FormsProvider value={forms}>{children}</FormsProvider>
          </div>
          {footer && (
            // A field shows its error on blur, which would move the footer from under the pointer, so pressing a button does not blur it.
            <div className="cp-modal-foot" role="presentation" onMouseDown={(e) => e.preventDefault()}>
              {footer}
            </div>
          )}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

type ConfirmProps = {
  opened: boolean;
  onClose: () => void;
  onConfirm: () => void;
  title: string;
  /** The name of the affected object. */
  subject: string;
  question?: string;
  children?: ReactNode;
  confirmLabel?: string;
  cancelLabel?: string;
  danger?: boolean;
  busy?: boolean;
};

/** Asks for confirmation and names the affected object. Stays open and shows progress while `busy`. */
export function ConfirmDialog({
  opened,
  onClose,
  onConfirm,
  title,
  subject,
  question = 'Are you sure?',
  children,
  confirmLabel = 'OK',
  cancelLabel = 'Cancel',
  danger,
  busy,
}: ConfirmProps) {
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      onSubmitKey={() => !busy && onConfirm()}
      title={title}
      footer={
        <>
          <div className="cp-grow" />
          <Button size="md" variant="default" onClick={onClose} data-autofocus={danger || undefined}>
            {cancelLabel}
          </Button>
          <Button size="md" color={danger ? 'red' : undefined} loading={busy} onClick={onConfirm} data-autofocus={!danger || undefined}>
            {confirmLabel}
          </Button>
        </>
      }
    >
      <p className="cp-subject">{subject}</p>
      {children}
      {question && <p className="cp-question">{question}</p>}
    </Dialog>
  );
}
