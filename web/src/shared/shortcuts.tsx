import { Fragment, useLayoutEffect, useSyncExternalStore } from 'react';
import { Dialog } from './ui/Dialog';

/**
 * Single-key shortcuts of the screen in view. `keys` is a `KeyboardEvent.key`, or a list of alternatives.
 * They are off while the user types, while a dialog or menu is open, and with Ctrl, Alt or Meta.
 */
export type Shortcut = { keys: string | string[]; label: string; run: () => void };

const registered = new Set<{ current: Shortcut[] }>();
const listeners = new Set<() => void>();
let snapshot: Shortcut[] = [];
const changed = () => {
  snapshot = [...registered].flatMap((r) => r.current);
  for (const l of listeners) l();
};

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
  (target as HTMLInputElement).type !== 'checkbox';
// Closed dropdowns stay in the page, hidden.
const isCovered = () =>
  [...document.querySelectorAll('[role="dialog"][aria-modal="true"], [role="menu"], [role="listbox"]')].some(
    (e) => e.checkVisibility?.() ?? true,
  );

let covered = false;
// Checked in the capture phase: a menu that Escape closes would be gone by the time the key bubbles up here.
const noteCover = () => {
  covered = isCovered();
};

function onKey(e: KeyboardEvent) {
  if (e.defaultPrevented || e.ctrlKey || e.altKey || e.metaKey || isTyping(e.target) || covered) return;
  // The latest screen wins.
  const hit = snapshot.findLast((s) => [s.keys].flat().includes(e.key));
  if (!hit) return;
  // Enter and space belong to the focused control.
  if (
    (e.key === 'Enter' || e.key === ' ') &&
    e.target instanceof HTMLElement &&
    e.target.closest('a, button, input, [role="button"], [role="tab"]')
  )
    return;
  e.preventDefault();
  hit.run();
}

export function useShortcuts(shortcuts: Shortcut[]) {
  // Before the paint, so that a key pressed as soon as the screen appears works.
  useLayoutEffect(() => {
    const entry = { current: shortcuts };
    if (registered.size === 0) {
      window.addEventListener('keydown', noteCover, true);
      window.addEventListener('keydown', onKey);
    }
    registered.add(entry);
    changed();
    return () => {
      registered.delete(entry);
      if (registered.size === 0) {
        window.removeEventListener('keydown', noteCover, true);
        window.removeEventListener('keydown', onKey);
      }
      changed();
    };
  });
}

const subscribe = (l: () => void) => {
  listeners.add(l);
  return () => listeners.delete(l);
};

const keyName = (key: string) => ({ Escape: 'Esc', ' ': 'Space', ArrowLeft: '←', ArrowRight: '→' })[key] ?? key;

/** The list behind `?`. */
export function ShortcutHelp({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const list = useSyncExternalStore(subscribe, () => snapshot);
  return (
    <Dialog opened={opened} onClose={onClose} title="Keyboard shortcuts" size={460}>
      <dl className="cp-shortcuts">
        {list.map((s) => (
          <Fragment key={s.label}>
            <dt>{s.label}</dt>
            <dd>
              {[s.keys].flat().map((k) => (
                <kbd key={k} className="cp-kbd">
                  {keyName(k)}
                </kbd>
              ))}
            </dd>
          </Fragment>
        ))}
        <dt>Submit a form</dt>
        <dd>
          <kbd className="cp-kbd">Ctrl</kbd>
          <kbd className="cp-kbd">Enter</kbd>
        </dd>
      </dl>
    </Dialog>
  );
}
