import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api, quiet, unwrap } from '@/api/client';
import type { Message } from '@/api/types';
import { assignableQuery, useMessageChanged } from '@/domain/messaging/api';
import { ownName } from '@/shared/owner';
import { unsaved } from '@/shared/sealedStore';

type Colleague = { id: string; name: string };

/** The colleagues mentioned with an @ in a text. */
export const mentionedIn = (text: string, people: Colleague[]) =>
  people.filter((p) => text.toLowerCase().includes(`@${p.name.toLowerCase()}`)).map((p) => p.id);

/** The beginning of a mention at the end of a text: `@Pri`. */
export const nameBegun = (text: string) => /(?:^|\s)@([^@\n]{0,30})$/.exec(text)?.[1] ?? null;

/** The colleagues whose name begins so. */
export const colleaguesFor = (begun: string | null, people: Colleague[]) =>
  begun === null
    ? []
    : people.filter((p) => [p.name, ...p.name.split(' ')].some((part) => part.toLowerCase().startsWith(begun.toLowerCase()))).slice(0, 6);

/** The notes of a message, and the current draft of one. */
export function useNotes(message: Message) {
  const [text, show] = useState('');
  // Includes changes by handlers of the same event.
  const latest = useRef(text);
  const kept = ownName(`note.${message.id}`);
  const setText = (next: string) => {
    latest.current = next;
    show(next);
    if (next) void unsaved.write(kept, next);
    else unsaved.forget(kept);
  };
  // A draft kept from a reload or the end of the session.
  useEffect(() => {
    void unsaved.read<string>(kept).then((written) => {
      if (!written || latest.current) return;
      latest.current = written;
      show(written);
    });
  }, [kept]);
  const people = useQuery(assignableQuery).data ?? [];
  const changed = useMessageChanged();
  const at = { params: { path: { id: message.id } } };
  const add = useMutation({
    mutationFn: (written: string) =>
      unwrap(
        api.POST('/api/messages/{id}/notes', { ...at, body: { text: written.trim(), mentioned: mentionedIn(written, people) }, ...quiet }),
      ),
    onSuccess: (fresh, written) => {
      // Text typed meanwhile is another note.
      if (latest.current === written) setText('');
      changed(fresh);
    },
  });
  const remove = useMutation({
    mutationFn: (noteId: string) =>
      unwrap(api.DELETE('/api/messages/{id}/notes/{noteId}', { params: { path: { id: message.id, noteId } } })),
    onSuccess: changed,
  });
  const isUnsaved = () => latest.current.trim() !== '';
  const running = useRef<Promise<boolean> | null>(null);
  /** Saves the draft once; answers whether that succeeded. */
  const save = () =>
    (running.current ??= add
      .mutateAsync(latest.current)
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        running.current = null;
      }));
  return {
    text,
    setText,
    suggestions: colleaguesFor(nameBegun(text), people),
    add: () => {
      if (isUnsaved()) void save();
    },
    isAdding: add.isPending,
    remove: (id: string) => remove.mutate(id),
    isUnsaved,
    /** Discards the draft. */
    discard: () => unsaved.forget(kept),
    /** Saves the draft; answers false on failure. */
    flush: async () => {
      if (running.current && !(await running.current)) return false;
      return isUnsaved() ? save() : true;
    },
  };
}
export type Notes = ReturnType<typeof useNotes>;
