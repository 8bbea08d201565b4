import { ActionIcon, Button } from '@mantine/core';
import { IconTrash, IconUsers, IconX } from '@tabler/icons-react';
import { type ReactNode, useEffect, useEffectEvent, useId, useRef } from 'react';
import type { ConnectionKind, ConnectionType, EhrConnection } from '@/api/types';
import { Form } from '@/shared/form/Form';
import { Keys, useShortcuts } from '@/shared/shortcuts';
import { NEW } from '@/shared/table/listSearch';
import { Dialog } from '@/shared/ui/Dialog';
import { LeaveGuard } from '@/shared/ui/LeaveGuard';
import { useViewport } from '@/shared/useViewport';
import { EditorParts } from './EditorParts';
import { SaveAnyway } from './SaveAnyway';
import { type News, SAVE, useEditor } from './useEditor';
import type { Tests } from './useTests';

type Props = {
  /** Nothing for a new one. */
  saved: EhrConnection | null;
  tests: Tests;
  kind: ConnectionKind;
  /** Nothing before the kinds are known. */
  type: ConnectionType | undefined;
  /** It was added just now. */
  isNew: boolean;
  /** Says whether closing loses something, and what discards that. */
  onDirty: (unsaved: { name: string; forget: () => void } | null) => void;
  onSaved: (connection: EhrConnection, what: News) => Promise<unknown>;
  onDelete?: () => void;
  /** Shows who the people of the EHR are here. */
  onPeople?: () => void;
  onClose: () => void;
};

/** Adds or changes a connection: beside the list where there is room, else in a dialog. */
export function Editor({ saved, tests, kind, type, isNew, onDirty, onSaved, onDelete, onPeople, onClose }: Props) {
  const { isLabelled } = useViewport();
  const id = useId();
  // Known to be refused, rather than not known yet.
  const isAllowed = type?.isAllowed ?? true;
  const editor = useEditor({ kind, saved, tests, isAllowed, onSaved });
  const { form, busy, forget, asked } = editor;
  const name = form.values.name || (saved?.name ?? 'New connection');
  const isDirty = form.isDirty();
  const report = useEffectEvent(() => onDirty(isDirty ? { name, forget } : null));
  useEffect(() => report(), [isDirty, name]);
  useEffect(() => () => onDirty(null), [onDirty]);
  useShortcuts(isAllowed ? [{ keys: 't', label: 'Test the connection', run: editor.test }] : []);
  const footer = (
    <>
      {onDelete && (
        <ActionIcon size={36} aria-label="Delete the connection" disabled={busy} onClick={onDelete}>
          <IconTrash size={18} stroke={1.6} />
        </ActionIcon>
      )}
      {onPeople && (
        <ActionIcon size={36} aria-label="People of the EHR" disabled={busy} onClick={onPeople}>
          <IconUsers size={18} stroke={1.6} />
        </ActionIcon>
      )}
      <div className="cp-grow" />
      <Button size="md" variant="default" disabled={busy} onClick={onClose}>
        Cancel
      </Button>
      <Button size="md" type="submit" form={id} loading={busy} rightSection={isLabelled ? <Keys of="mod+Enter" /> : undefined}>
        {isAllowed ? SAVE : 'Save'}
      </Button>
    </>
  );
  const Shell = isLabelled ? EditorPane : EditorDialog;
  return (
    <Shell
      title={saved?.name ?? 'New connection'}
      isNew={!saved}
      isDirty={isDirty}
      footer={footer}
      onClose={onClose}
      onSubmitKey={editor.save}
    >
      <LeaveGuard isDirty={() => form.isDirty()} subject={name} onLeave={forget} />
      <Form
        id={id}
        onSubmit={(e) => {
          e.preventDefault();
          editor.save();
        }}
      >
        <EditorParts editor={editor} test={tests.of(saved?.id ?? NEW)} type={type} isNew={isNew} />
      </Form>
      {asked && <SaveAnyway asked={asked} subject={name} />}
    </Shell>
  );
}

type ShellProps = {
  title: string;
  isNew: boolean;
  isDirty: boolean;
  footer: ReactNode;
  onClose: () => void;
  onSubmitKey: () => void;
  children: ReactNode;
};

function EditorPane({ title, isNew, footer, onClose, onSubmitKey, children }: ShellProps) {
  const pane = useRef<HTMLElement>(null);
  useShortcuts([
    { keys: 'mod+Enter', label: SAVE, run: onSubmitKey },
    { keys: 'Escape', label: 'Close the connection', run: onClose },
  ]);
  // The next Tab is in the pane. An existing connection leaves the single keys to the list.
  useEffect(() => {
    const field = pane.current?.querySelector<HTMLElement>('input');
    (isNew ? field : pane.current)?.focus({ preventScroll: true });
  }, [isNew]);
  return (
    <>
      <div className="cp-grip" />
      <section className="cp-pane int-editor" aria-label={title} ref={pane} tabIndex={-1}>
        <div className="int-head">
          <h2 className="cp-ell cp-grow">{title}</h2>
          <ActionIcon aria-label="Close the connection" onClick={onClose}>
            <IconX size={18} stroke={1.8} />
          </ActionIcon>
        </div>
        <div className="cp-scroll">{children}</div>
        <div className="cp-foot">{footer}</div>
      </section>
    </>
  );
}

function EditorDialog({ title, isDirty, footer, onClose, children }: ShellProps) {
  return (
    <Dialog opened onClose={onClose} title={title} size={560} staysOnOutsideClick={isDirty} footer={footer}>
      <div className="int-dialog">{children}</div>
    </Dialog>
  );
}
