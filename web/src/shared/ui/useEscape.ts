import { useEffectEvent, useLayoutEffect } from 'react';

/** The layers above the page, the topmost last. */
const layers: (() => void)[] = [];

// One listener for all: with one each, a layer would find the one above it closed already and close itself too.
function onKey(e: KeyboardEvent) {
  if (e.key !== 'Escape' || e.isComposing) return;
  // An open menu or list of choices closes itself.
  if (e.target instanceof Element && e.target.getAttribute('data-mantine-stop-propagation') === 'true') return;
  layers.at(-1)?.();
}

/** Escape closes only the topmost layer; Mantine on its own would close all of them. */
export function useEscape(opened: boolean, close: () => void) {
  const onEscape = useEffectEvent(close);
  useLayoutEffect(() => {
    if (!opened) return;
    const layer = () => onEscape();
    if (layers.push(layer) === 1) window.addEventListener('keydown', onKey, true);
    return () => {
      layers.splice(layers.indexOf(layer), 1);
      if (layers.length === 0) window.removeEventListener('keydown', onKey, true);
    };
  }, [opened]);
}
