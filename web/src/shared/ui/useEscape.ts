import { useEffectEvent, useLayoutEffect } from 'react';

/** What lies over the page, the topmost last. */
const layers: (() => void)[] = [];

// One listener for all: each of several would find the layer above gone already, and close its own too.
function onKey(e: KeyboardEvent) {
  if (e.key !== 'Escape' || e.isComposing) return;
  // An open menu or list of choices closes itself.
  if (e.target instanceof Element && e.target.getAttribute('data-mantine-stop-propagation') === 'true') return;
  layers.at(-1)?.();
}

/** Escape closes the topmost layer only. For the interface kit it closes every one that is open. */
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
