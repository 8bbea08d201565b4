import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import type { Message } from '@/api/types';
import { useEscape } from '@/shared/ui/useEscape';
import { useViewport } from '@/shared/useViewport';

/** A file, or the text of the message. */
type Shown = { kind: 'file'; id: string } | { kind: 'words' };

const firstShown = (m: Message): Shown | null => {
  const file = m.attachments.find((a) => a.previewAvailable !== 'Failed') ?? m.attachments[0];
  if (file) return { kind: 'file', id: file.id };
  return m.body || m.bodyHtml ? { kind: 'words' } : null;
};

/** Tracks whether a condition holds or has held. */
function useEver(is: boolean) {
  const [ever, setEver] = useState(is);
  if (is && !ever) setEver(true);
  return ever || is;
}

export type MessagePanes = ReturnType<typeof useMessagePanes>;

/** The visible part of the message: one of its files, and on small screens one of the panes around it. */
export function useMessagePanes(message: Message) {
  const { isPhone, isNarrow } = useViewport();
  const [shown, show] = useState<Shown | null>(() => firstShown(message));
  const [tab, setTab] = useState<string | null>('document');
  const [isSideOpen, side] = useDisclosure();
  useEscape(isNarrow && !isPhone && isSideOpen, side.close);
  const showsForm = isPhone ? tab === 'patient' : !isNarrow || isSideOpen;
  const sawForm = useEver(showsForm);

  /** Focuses a field of the form, in any layout. */
  const focusIn = (field: string) => {
    const focus = () => document.querySelector<HTMLElement>(field)?.focus();
    // If the form is visible, the next key already belongs to the field.
    if (!isPhone && !isNarrow) return focus();
    if (isPhone) setTab('patient');
    else side.open();
    setTimeout(focus);
  };
  return {
    attachment: shown?.kind === 'file' ? message.attachments.find((a) => a.id === shown.id) : undefined,
    showsWords: shown?.kind === 'words',
    showFile: (id: string) => {
      show({ kind: 'file', id });
      setTab('document');
    },
    showWords: () => {
      show({ kind: 'words' });
      setTab('document');
      side.close();
    },
    /** On phones. */
    tab,
    setTab,
    /** Beside the document on screens that are too narrow for all panes. */
    side: { isOpen: isSideOpen, open: side.open, close: side.close },
    /** Whether the form is in view, or was. */
    showsForm,
    sawForm,
    focusIn,
    findPatient: () => focusIn('[data-field="findPatient"]'),
  };
}
