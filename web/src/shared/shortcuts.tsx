import { Fragment, useLayoutEffect, useSyncExternalStore } from 'react';
import { Dialog } from './ui/Dialog';

/**
 * Shortcuts of the screen in view. `keys` is a `KeyboardEvent.key`, or a list of alternatives; without any, it is in the
 * palette alone. Single keys are off while
 * the user types, while a dialog or menu is open, and with Ctrl, Alt or Meta. `mod+Enter` and other `mod+` keys (Ctrl, or
 * Command on a Mac) work while the user types too.
 */
export type Shortcut = {
  keys: string | string[];
  label: string;
  run: () => void;
  /** A selector: in these fields a `mod+` key is theirs. */
  unless?: string;
  /** A key that is held down runs it no second time, nor one that was pressed for the screen before. */
  isOnce?: boolean;
};

const registered = new Set<{ current: Shortcut[] }>();
const listeners = new Set<() => void>();
let snapshot: Shortcut[] = [];
const changed = () => {
  snapshot = [...registered].flatMap((r) => r.current);
  for (const l of listeners) l();
};

const isTyping = (target: EventTarget | null): target is HTMLElement =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
  !['checkbox', 'radio'].includes((target as HTMLInputElement).type);
// Closed dropdowns stay in the page, hidden.
const isOpen = (layer: string) => [...document.querySelectorAll(layer)].some((e) => e.checkVisibility?.() ?? true);
const LAYERS = '[role="dialog"][aria-modal="true"], [role="menu"]';
const CHOICES = '[role="listbox"]';

// The latest screen wins.
const shortcutOf = (key: string) => snapshot.findLast((s) => [s.keys].flat().includes(key));

let covered = false;
/** In the capture phase: a menu that Escape closes would be gone, and a select would have taken Ctrl+Enter, before it bubbles up. */
function onCapture(e: KeyboardEvent) {
  const [isUnder, isChoosing] = [isOpen(LAYERS), isOpen(CHOICES)];
  covered = isUnder || isChoosing;
  if (isUnder || e.isComposing || !(e.ctrlKey || e.metaKey) || e.altKey || e.shiftKey) return;
  const key = `mod+${e.key.length === 1 ? e.key.toLowerCase() : e.key}`;
  const hit = shortcutOf(key);
  if (!hit || (hit.unless && e.target instanceof Element && e.target.closest(hit.unless))) return;
  // The field first takes the choice that is marked, and the screen knows of it.
  if (isChoosing && e.key === 'Enter') return void setTimeout(() => shortcutOf(key)?.run());
  e.preventDefault();
  e.stopPropagation();
  hit.run();
}

function onKey(e: KeyboardEvent) {
  if (e.defaultPrevented || e.ctrlKey || e.altKey || e.metaKey || covered) return;
  if (isTyping(e.target)) {
    // The single keys are those of the screen again.
    if (e.key === 'Escape' && !e.isComposing) e.target.blur();
    return;
  }
  const hit = shortcutOf(e.key);
  if (!hit) return;
  // Enter and space belong to the focused control.
  if (
    (e.key === 'Enter' || e.key === ' ') &&
    e.target instanceof HTMLElement &&
    e.target.closest('a, button, input, [role="button"], [role="tab"]')
  )
    return;
  e.preventDefault();
  if (!(e.repeat && hit.isOnce)) hit.run();
}

export function useShortcuts(shortcuts: Shortcut[]) {
  // Before the paint, so that a key pressed as soon as the screen appears works.
  useLayoutEffect(() => {
    const entry = { current: shortcuts };
    if (registered.size === 0) {
      window.addEventListener('keydown', onCapture, true);
      window.addEventListener('keydown', onKey);
    }
    registered.add(entry);
    changed();
    return () => {
      registered.delete(entry);
      if (registered.size === 0) {
        window.removeEventListener('keydown', onCapture, true);
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

/** The shortcuts of everything in view, those of the frame first. */
export const useShortcutList = () => useSyncExternalStore(subscribe, () => snapshot);

const names: Record<string, string> = { Escape: 'Esc', ' ': 'Space', ArrowLeft: '←', ArrowRight: '→', mod: 'Ctrl' };
const keyName = (key: string) => names[key] ?? (key.length === 1 ? key : key[0]!.toUpperCase() + key.slice(1));

/** A key, or several that are pressed together. */
export const Keys = ({ of }: { of: string }) =>
  of.split(/(?<=mod)\+/).map((key, i, all) => (
    <kbd key={key} className="cp-kbd">
      {keyName(all.length > 1 && i > 0 && key.length === 1 ? key.toUpperCase() : key)}
    </kbd>
  ));

/** The list behind `?`. */
export function ShortcutHelp({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const list = useShortcutList();
  return (
    <Dialog opened={opened} onClose={onClose} title="Keyboard shortcuts" size={460}>
      <dl className="cp-shortcuts">
        {list
          .filter((s) => s.keys.length > 0)
          .map((s) => (
            <Fragment key={s.label}>
              <dt>{s.label}</dt>
              <dd>
                {[s.keys].flat().map((k) => (
                  <Keys key={k} of={k} />
                ))}
              </dd>
            </Fragment>
          ))}
        <dt>Submit a form</dt>
        <dd>
          <Keys of="mod+Enter" />
        </dd>
        <dt>Leave field</dt>
        <dd>
          <Keys of="Escape" />
        </dd>
      </dl>
    </Dialog>
  );
}
