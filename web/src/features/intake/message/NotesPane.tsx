import { ActionIcon, Button, Combobox, Textarea, useCombobox } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useEffect } from 'react';
import type { Message, Note } from '@/api/types';
import { formatRecent } from '@/shared/format';
import type { Notes } from './useNotes';

const TEXT_MAX = 2000;

/** The text with the names of mentioned colleagues in bold. */
function NoteText({ note }: { note: Note }) {
  const names = note.mentioned.map((p) => `@${p.name}`);
  if (names.length === 0) return note.text;
  const escaped = names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return note.text.split(new RegExp(`(${escaped.join('|')})`, 'i')).map((part, at) => (at % 2 ? <b key={`${at}`}>{part}</b> : part));
}

/** The internal notes of colleagues about the message. They never leave the organization. */
export function NotesPane({ message, notes }: { message: Message; notes: Notes }) {
  const store = useCombobox();
  const names = notes.suggestions.map((p) => p.name).join();
  const { openDropdown, closeDropdown, selectFirstOption } = store;
  useEffect(() => {
    if (names) {
      openDropdown();
      selectFirstOption();
    } else closeDropdown();
  }, [names, openDropdown, closeDropdown, selectFirstOption]);
  return (
    <section className="cp-sec" aria-labelledby="notes-pane">
      <div className="cp-sec-h">
        <h2 id="notes-pane">Notes</h2>
        <span className="cp-muted cp-tiny">Stay in your organization</span>
      </div>
      {message.notes.length > 0 && (
        <ul className="cp-notes">
          {message.notes.map((note) => (
            <li key={note.id}>
              <div className="cp-row cp-tiny">
                <b className="cp-ell">{note.author.name}</b>
                <span className="cp-muted cp-num">{formatRecent(note.createdAt)}</span>
                <div className="cp-grow" />
                {note.isOwn && (
                  <ActionIcon size={22} aria-label="Delete this note" onClick={() => notes.remove(note.id)}>
                    <IconTrash size={14} stroke={1.6} />
                  </ActionIcon>
                )}
              </div>
              <p>
                <NoteText note={note} />
              </p>
            </li>
          ))}
        </ul>
      )}
      <Combobox
        store={store}
        onOptionSubmit={(name) => {
          notes.setText(notes.text.replace(/@[^@\n]*$/, `@${name} `));
          store.closeDropdown();
        }}
      >
        <Combobox.Target autoComplete="off">
          <Textarea
            aria-label="Write a note"
            placeholder="Add a note. @ to mention a colleague"
            data-field="note"
            autosize
            minRows={2}
            maxRows={8}
            maxLength={TEXT_MAX}
            value={notes.text}
            onChange={(e) => notes.setText(e.currentTarget.value)}
            onKeyDown={(e) => {
              if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) {
                e.preventDefault();
                notes.add();
              }
            }}
          />
        </Combobox.Target>
        <Combobox.Dropdown hidden={notes.suggestions.length === 0}>
          <Combobox.Options aria-label="Colleagues">
            {notes.suggestions.map((p) => (
              <Combobox.Option key={p.id} value={p.name}>
                {p.name}
              </Combobox.Option>
            ))}
          </Combobox.Options>
        </Combobox.Dropdown>
      </Combobox>
      {notes.isUnsaved() && (
        <div className="cp-row cp-noteacts">
          <div className="cp-grow" />
          <Button size="xs" loading={notes.isAdding} onClick={notes.add}>
            Add note
          </Button>
        </div>
      )}
    </section>
  );
}
