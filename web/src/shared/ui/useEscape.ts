import { createContext, useContext, useEffectEvent, useLayoutEffect, useState } from 'react';

type Layer = { close: () => void; submit: () => (() => void) | null };
/** The layers above the page, the topmost last. */
const layers: Layer[] = [];

export const isSubmitKey = (e: { key: string; ctrlKey: boolean; metaKey: boolean }) => e.key === 'Enter' && (e.ctrlKey || e.metaKey);

// One listener for all: with one each, a layer would find the one above it closed already and close itself too.
function onKey(e: KeyboardEvent) {
  if (e.isComposing) return;
  const top = layers.at(-1);
  const submit = isSubmitKey(e) && top?.submit();
  if (submit) {
    // A select would open, and a button in focus be pressed.
    e.preventDefault();
    e.stopPropagation();
    // A key that is held does not answer the next question too.
    if (!e.repeat) submit();
  }
  if (e.key !== 'Escape') return;
  // An open menu or list of choices closes itself.
  if (e.target instanceof Element && e.target.getAttribute('data-mantine-stop-propagation') === 'true') return;
  top?.close();
}

/**
 * Escape closes only the topmost layer; Mantine on its own would close all of them. Ctrl+Enter does what `submit` answers,
 * and is left to what is in focus if that is nothing.
 */
export function useEscape(opened: boolean, close: () => void, submit: () => (() => void) | null = () => null) {
  const onEscape = useEffectEvent(close);
  const onSubmit = useEffectEvent(submit);
  useLayoutEffect(() => {
    if (!opened) return;
    const layer: Layer = { close: () => onEscape(), submit: () => onSubmit() };
    if (layers.push(layer) === 1) window.addEventListener('keydown', onKey, true);
    return () => {
      layers.splice(layers.indexOf(layer), 1);
      if (layers.length === 0) window.removeEventListener('keydown', onKey, true);
    };
  }, [opened]);
}

/** The forms of a dialog. */
const FormsContext = createContext<Set<HTMLFormElement> | null>(null);
export const FormsProvider = FormsContext.Provider;

/** The forms within a dialog, and what submits the one in focus, or else the first. */
export function useForms(): [Set<HTMLFormElement>, () => (() => void) | null] {
  const [forms] = useState(() => new Set<HTMLFormElement>());
  const submit = () => {
    const all = [...forms];
    const form = all.find((f) => f.contains(document.activeElement)) ?? all[0];
    return form ? () => submitForm(form) : null;
  };
  return [forms, submit];
}

/** Registers a form with the dialog around it; false without one. */
export function useOwnDialog(form: { readonly current: HTMLFormElement | null }): boolean {
  const forms = useContext(FormsContext);
  useLayoutEffect(() => {
    const own = form.current;
    if (!forms || !own) return;
    forms.add(own);
    return () => void forms.delete(own);
  }, [forms, form]);
  return forms !== null;
}

/** As its button would: not while that is disabled. */
export function submitForm(form: HTMLFormElement) {
  const button = [...form.elements].find((e) => e instanceof HTMLButtonElement && e.type === 'submit');
  if (!button?.matches(':disabled')) form.requestSubmit();
}
